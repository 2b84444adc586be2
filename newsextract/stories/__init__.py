"""Stories: the articles of one event across sites. `StoryTracker` needs no database."""

from newsextract.stories.tracker import Story, StoryTracker

__all__ = ["Story", "StoryTracker"]
