"""Finds the terms of a query in a text in one pass, however many there are and however long they are.

An automaton reads the words from the last to the first, so that it ends a term where the text begins it (Aho and
Corasick, "Efficient string matching: an aid to bibliographic search", CACM 18(6), 1975).
"""

from collections import deque
from collections.abc import Iterator, Sequence

#: The symbol of a word that no term has.
NONE = -1


class TermFinder:
    """An automaton for terms, each a line of words and whether the last one is a prefix.

    A word is a symbol: itself if a term has it, or else the longest prefix that it begins with.
    """

    def __init__(self, terms: Sequence[tuple[str, bool]]) -> None:
        lines = [(line.split(), is_prefix) for line, is_prefix in terms]
        whole = (word for words, is_prefix in lines for word in words[: len(words) - is_prefix])
        self.words = {word: number for number, word in enumerate(dict.fromkeys(whole))}
        prefixes = dict.fromkeys(words[-1] for words, is_prefix in lines if is_prefix)
        self.prefixes = {prefix: number for number, prefix in enumerate(prefixes, len(self.words))}
        self.lengths = sorted({*map(len, self.prefixes)}, reverse=True)
        self.steps: list[dict[int, int]] = [{}]  # what follows each state, by symbol
        self.ends = [0]  # how many words the shortest term has that ends in a state
        for words, is_prefix in lines:
            for last in self._beginning_with(words[-1]) if is_prefix else [self.words[words[-1]]]:
                self._add([last, *(self.words[word] for word in reversed(words[:-1]))])
        self.links = [0] * len(self.steps)  # the state of a state's longest end with which a term begins
        self._link()

    def symbol(self, word: str) -> int:
        """What a word of a text is to the terms."""
        if (known := self.words.get(word)) is not None:
            return known
        beginnings = (self.prefixes.get(word[:length]) for length in self.lengths if length <= len(word))
        return next((found for found in beginnings if found is not None), NONE)

    def find(self, symbols: Sequence[int]) -> Iterator[tuple[int, int]]:
        """From the last to the first, where terms begin in a text, and one past the last word of the shortest there."""
        steps, ends, links, state = self.steps, self.ends, self.links, 0
        for place in range(len(symbols) - 1, -1, -1):
            symbol = symbols[place]
            while (following := steps[state].get(symbol)) is None and state:
                state = links[state]
            state = following or 0
            if ends[state]:
                yield place, place + ends[state]

    def _beginning_with(self, prefix: str) -> list[int]:
        return [
            number for table in (self.words, self.prefixes) for word, number in table.items() if word.startswith(prefix)
        ]

    def _add(self, symbols: Sequence[int]) -> None:
        state = 0
        for symbol in symbols:
            if symbol not in self.steps[state]:
                self.steps[state][symbol] = len(self.steps)
                self.steps.append({})
                self.ends.append(0)
            state = self.steps[state][symbol]
        self.ends[state] = len(symbols)

    def _link(self) -> None:
        """Links the states, the shortest first."""
        waiting = deque(self.steps[0].values())
        while waiting:
            state = waiting.popleft()
            self.ends[state] = self.ends[self.links[state]] or self.ends[state]
            for symbol, following in self.steps[state].items():
                link = self.links[state]
                while link and symbol not in self.steps[link]:
                    link = self.links[link]
                self.links[following] = self.steps[link].get(symbol, 0)
                waiting.append(following)
