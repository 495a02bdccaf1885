package conversation

// Messages to people that are not answers. They are the same on every platform.
const (
	SayBroken  = "This could not be done. Try again in a minute; if it happens again, tell whoever runs this bot."
	SayLost    = "Your question could not be taken in. Ask again in a minute; if it happens again, tell whoever runs this bot."
	sayNothing = "There is nothing in this message that could be answered."
	sayOwn     = "That's already one of my answers; reply in its thread to follow up."

	sayUnreadable = "I could not read the earlier messages of this thread, so this answer does not use them."
	sayUnfollowed = "I no longer follow this thread. Mention me to bring me back."
)

// AboutFiles is used as the question if a message has files but no text.
const AboutFiles = "What is this about?"
