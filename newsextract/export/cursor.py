"""A reader's place in the changes of a database, from one reading to the next."""

from dataclasses import dataclass
from pathlib import Path

from newsextract.errors import NewsextractError, WrongCall
from newsextract.files import atomic_write


@dataclass(frozen=True)
class CursorFile:
    """A reader's place, in a file that always holds one whole number; absent before the first export."""

    path: Path

    def read(self) -> int:
        """The number in the file, 0 where there is no file."""
        try:
            text = self.path.read_text("utf-8").strip()
        except FileNotFoundError:
            return 0
        except (OSError, UnicodeDecodeError) as error:
            raise WrongCall(f"the cursor file {self.path} can't be read: {error}") from error
        if not (text.isascii() and text.isdigit()):
            raise WrongCall(f"the cursor file {self.path} holds no number but {text[:40]!r}")
        return int(text)

    def replace(self, cursor: int) -> None:
        """The file holds the old number or the new one, also after a power cut."""
        try:
            with atomic_write(self.path) as file:
                file.write(f"{cursor}\n".encode())
        except OSError as error:
            raise NewsextractError(f"the cursor file {self.path} can't be written: {error.strerror}") from error
