"""The mathematics: guarantees, budgets, sensitivities, exact noise and its random bits."""
