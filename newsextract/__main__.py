"""`python -m newsextract` is the command `newsextract`."""

from newsextract.cli import main

if __name__ == "__main__":
    main()
