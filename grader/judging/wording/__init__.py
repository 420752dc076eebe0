"""The words of the judge: sentences made of findings, failures and plays. Nothing here decides anything."""
