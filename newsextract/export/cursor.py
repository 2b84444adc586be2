"""The file in which a reader of the change log keeps its cursor: the number of the last change it has read."""

from dataclasses import dataclass
from pathlib import Path

from newsextract.errors import NewsextractError, WrongCall
from newsextract.files import atomic_write


@dataclass(frozen=True)
class CursorFile:
    """A file that holds one whole number and is replaced atomically; it does not exist before the first export."""

    path: Path

    def read(self) -> int:
        """The number in the file, 0 if there is no file; WrongCall if it holds anything else."""
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
        """Writes the new number; even after a power cut the file holds either the old or the new one."""
        try:
            with atomic_write(self.path) as file:
                file.write(f"{cursor}\n".encode())
        except OSError as error:
            raise NewsextractError(f"the cursor file {self.path} can't be written: {error.strerror}") from error
