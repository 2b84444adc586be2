"""Where a sentence ends: the marks of all scripts."""

#: Full stops and the ellipsis: Latin, Chinese and Japanese, Indian, Urdu; all ends of sentences, also of questions.
FULL_STOPS = (".", "…", "。", "।", "۔")
END_MARKS = (*FULL_STOPS, "!", "?", "！", "？", "؟")
#: Quotation marks and brackets that may close behind one of them.
CLOSING_MARKS = "\"'”’»)]）】」』›"
BEHIND_END = f"{CLOSING_MARKS} \t\n\u00a0\u3000"


def ends_sentence(text: str, marks: tuple[str, ...] = END_MARKS) -> bool:
    """Whether a text ends with the end of a sentence, perhaps within quotation marks or brackets.

    >>> ends_sentence("He said, “Now.”"), ends_sentence("Weather on Monday")
    (True, False)
    """
    return text.rstrip(BEHIND_END).endswith(marks)
