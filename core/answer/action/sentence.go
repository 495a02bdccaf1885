package action

const (
	sentenceNoActions   = "This cannot be done here."
	sentenceNoAnswer    = "This answer is not known any more. Ask again."
	sentenceUnfinished  = "This answer is still being written. Try again when it is complete."
	sentenceNothingRuns = "Nothing is being answered here."
	sentenceStopping    = "Stopped."
	sentenceNotHere     = "I do not take part in this thread. Mention me to ask a question."
	sentenceFollowed    = "I follow this thread again."
	sentenceUnfollowed  = "I no longer follow this thread. Mention me to bring me back."

	sentenceUp        = "Thank you. Your 👍 is noted."
	sentenceDown      = "Thank you. Your 👎 is noted."
	sentenceReason    = "Thank you. Your 👎 and your reason are noted."
	sentenceOwnAnswer = "Only whoever asked and moderators can do this."

	sentenceRetrying     = "A new answer is being written."
	sentenceCannotRetry  = "There is nothing to try again here. Ask again."
	sentenceCopyNotTried = "This is a copy of a private answer, which is not tried again. Ask the question again."

	sentenceAlreadyPrivate  = "This answer is for you alone already."
	sentenceAskerOnly       = "Only whoever asked can have this answered privately. Ask the question yourself to get an answer of your own."
	sentencePrivately       = "Your private answer is being written."
	sentencePrivatelyTwice  = "You have asked for this private answer already."
	sentenceUnknownListener = "At the moment it cannot be found out who may read what. Try again in a minute."

	sentenceNotPrivate    = "This is no private answer."
	sentenceNoThread      = "This answer has no thread to be shared in. Copy what you want to pass on."
	sentenceNothingShared = "There is no complete answer to share."
	sentenceRestricted    = "This answer rests on documents that not everybody in the channel may read, so it stays private."
	sentenceTaken         = "Some of what this answer rests on was deleted or edited since, so it is not shared. Ask again."
	sentenceShared        = "The answer is being posted to the thread."
	sentenceSharedAlready = "The answer was shared already."
	sentenceKept          = "The answer stays private."
	sentenceKeptSent      = "The answer stays private, and is sent to you as a direct message."

	sentenceModeratorsOnly   = "Only moderators can do this."
	sentenceRemovedAlready   = "This answer was removed."
	sentenceRemovedNow       = "The answer is being removed everywhere."
	sentenceCorrectedAlready = "A person corrected this answer; it is not tried again."
	sentenceCorrectedNow     = "Your correction takes the place of the answer."
	sentenceNoCorrection     = "A correction needs a text. Remove the answer if nothing is to stand in its place."
	sentenceCorrectionLong   = "This correction has %d characters, and at most %d can be kept. Write less."
	sentenceNotCorrected     = "A private answer cannot be corrected. Remove it, or ask again."

	sentenceAskerAsks    = "Only the person who asked can have the owner asked."
	sentenceAsked        = "I asked %s in the thread."
	sentenceAskedAlready = "The owner was asked already. If you see no message, mention them yourself."
	sentenceMaybeAsked   = "It is not known whether the message was posted. If you see none, mention the owner yourself."
	sentenceNotAsked     = "The message could not be posted. Try again in a minute."
	sentenceNotAskable   = "The owner of this page cannot be asked here any more."
	noticeAsked          = "%s asks, and no document answers it. You own the nearest page, “%s”.\n> %s"

	noticeShared = "Shared by %s, who got this answer privately."
)
