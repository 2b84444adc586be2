"""`newsextract bench train`: the default extractor's weights, made from labelled pages."""

from pathlib import Path
from typing import Annotated

import typer

from newsextract.cli.terminal import messages, results

Folders = Annotated[list[str], typer.Argument(metavar="FOLDER", help="Corpora to fit on: texts, segments, page types.")]


def train(
    folders: Folders,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The weights file to write.")],
    measure: Annotated[str, typer.Option(metavar="NAME,…", help="Corpora to measure on, never fitted on.")] = "",
    seed: Annotated[int, typer.Option(help="The same seed and pages give the same weights.")] = 1,
    workers: Annotated[int, typer.Option(min=1, metavar="N", help="Processes that read pages.")] = 1,
    plain: Annotated[bool, typer.Option("--plain", help="Without variants of pages in other markup.")] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Also fit without each kind of evidence, on fewer sites, other models.")
    ] = False,
) -> None:
    """Fit the default extractor's weights; figures by cross-validation over sites."""
    from evaluation.show_training import training_tables
    from evaluation.train import save, train_with_progress

    measured = [name for name in measure.split(",") if name]
    training = train_with_progress(
        folders, measured, seed=seed, workers=workers, augmented=not plain, report=report, console=messages()
    )
    save(training, output)
    for table in training_tables(training):
        results().print(table)
    messages().print(f"weights written to {output.resolve()}")
