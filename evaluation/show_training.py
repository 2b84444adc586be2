"""What a training reaches, as tables for a terminal."""

from collections.abc import Iterator

from rich.table import Table

from evaluation.train import Training


def training_tables(training: Training) -> Iterator[Table]:
    """Figures by set, the reliability of certainty, and the variations of a report."""
    scores = Table("set", title="By a model that has not seen the page's site", title_justify="left")
    columns = ("f", "precision", "recall", "f4", "empty", "refused")
    for name in columns:
        scores.add_column(name, justify="right")
    for name, figures in training.figures.items():
        scores.add_row(name, *(f"{figures[column]:.4f}" if column in figures else "" for column in columns))
    yield scores
    reliability = Table(
        title="Of pages said to be right with this certainty, so many have F of .9", title_justify="left"
    )
    for name in ("said", "true", "pages"):
        reliability.add_column(name, justify="right")
    for said, true, pages in training.reliability:
        reliability.add_row(f"{said:.2f}", f"{true:.2f}", str(pages))
    yield reliability
    for found in training.tables:
        table = Table("", title=found.title, title_justify="left")
        sets = list(dict.fromkeys(name for row in found.rows.values() for name in row))
        for name in sets:
            table.add_column(name, justify="right")
        for name, row in found.rows.items():
            table.add_row(name, *(f"{row[of]:.4f}" if of in row else "" for of in sets))
        yield table
