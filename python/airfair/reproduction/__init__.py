"""Reproduction: runs the experiments of a paper and compares the results with the printed ones.

| topic | module |
| --- | --- |
| a paper's experiments, claims and findings | `papers/<paper>/` |
| deciding, near and other readings of a paper | `AS_READ`, `PLACES` in `papers/<paper>/plan.py` |
| `airfair.reproduce` and its result | `running`, `summary`, `paper_result`, `verdict_tables` |
| runs of a paper, from its study files | `studies`, `runs`; `papers/<paper>/runs.py` |
| columns of tables, curves of figures and series of documents | `tables`, `series` |
| calibration of what a paper leaves open | `calibration` |
| choices made after an outcome was known | `history`, `experiments/<paper>/history.toml` |
| sentences of a report, and reasons why claims fail | `prose`, `experiments/<paper>/text/*.md` |
| report, figures and templates | `report`, `dots`, `topology`, `templates/` |
| a directory with a paper of the user's own | `directory` |
"""
