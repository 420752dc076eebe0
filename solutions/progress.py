# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Where you are
#
# Press Shift-Enter in the cell below. The page that it shows follows your checks in other notebooks
# as long as this one is open, and links to the exercise that comes next.

# %%
import grader

grader.progress(live=True)
