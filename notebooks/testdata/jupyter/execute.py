"""Executes a Python notebook and writes it back as executed, without what differs from
run to run: execute.py FILE.ipynb..."""

import copy
import pathlib
import sys

import nbformat
from nbclient import NotebookClient

for name in sys.argv[1:]:
    path = pathlib.Path(name)
    nb = nbformat.read(path, as_version=4)
    metadata = copy.deepcopy(nb.metadata)
    NotebookClient(nb, timeout=300, kernel_name="python3", record_timing=False,
                   resources={"metadata": {"path": str(path.parent)}}).execute()
    nb.metadata = metadata
    nbformat.write(nb, path)
