"""What is wrong with files that are to be written."""

from collections.abc import Sequence
from typing import Self

from fairmend.errors.base import FairmendError


class OutputError(FairmendError):
    """An output cannot be written, or exists already."""

    @classmethod
    def exists(cls, path: object) -> Self:
        """Build the error for an output that is there already."""
        return cls(f"{path} exists already. Pass force=True (--force) to replace it.")

    @classmethod
    def no_folder(cls, path: object, folder: object) -> Self:
        """Build the error for an output in a folder that is not there."""
        return cls(f"{path} cannot be written: there is no folder {folder}. Make it first.")

    @classmethod
    def hopeless(cls, path: object, reason: str) -> Self:
        """Build the error for an output that the system would refuse in the end."""
        return cls(f"{path} cannot be written ({reason}). Name another file.")

    @classmethod
    def same(cls, path: object) -> Self:
        """Build the error for two outputs of one name."""
        return cls(f"Two outputs would be written to {path}. Name two files.")

    @classmethod
    def overlap(cls, out: object, archive: object) -> Self:
        """Build the error for results that would lie among what is read, or around it."""
        return cls(
            f"{out} and {archive} lie within each other, and results are not written into what is "
            f"read. Name a folder elsewhere."
        )

    @classmethod
    def not_empty(cls, folder: object, *, interrupted: bool) -> Self:
        """Build the error for a folder of results that holds something already."""
        if interrupted:
            return cls(
                f"{folder} holds an interrupted run. Pass --resume and its seed to go on, or "
                f"force=True (--force) to start again."
            )
        return cls(
            f"{folder} is not empty. Name another folder, or pass force=True (--force) to replace "
            f"files of the same names in it."
        )

    @classmethod
    def no_directory(cls, out: object, archive: object) -> Self:
        """Build the error for one file where results of many are to go."""
        return cls(f"{archive} has many files and {out} is a file. Name a folder for the results.")

    @classmethod
    def nothing_to_resume(cls, folder: object) -> Self:
        """Build the error for a folder of results without a record of its run."""
        return cls(
            f"{folder} holds files and no record of an interrupted run: it is complete, or of "
            f"something else. Name another folder, or pass --force to start again."
        )

    @classmethod
    def damaged_record(cls, path: object) -> Self:
        """Build the error for a record that says nothing."""
        return cls(f"{path}, the record of a run, is damaged. Pass --force to start again.")

    @classmethod
    def other_run(cls, folder: object, what: Sequence[str]) -> Self:
        """Build the error for a run that is not the one that was interrupted."""
        return cls(
            f"The interrupted run in {folder} was another one: it differs in {', '.join(what)}. "
            f"Pass what it was given, or --force to start again."
        )

    @classmethod
    def resume_without_seed(cls, folder: object) -> Self:
        """Build the error for going on without the seed of what is there already."""
        return cls(
            f"The run in {folder} can only go on with the seed that it began with, which is kept "
            f"nowhere in it. Pass it by --seed-file (or --seed), or --force to start again. "
            f"--save-seed at the beginning of a run keeps it."
        )

    @classmethod
    def other_seed(cls, folder: object, name: str) -> Self:
        """Build the error for a seed that does not give what is there already."""
        return cls(
            f"The seed is not the one that the run in {folder} began with: with it, {name} would "
            f"be another file. Pass the seed of that run, or --force to start again."
        )
