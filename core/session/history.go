package session

// ThreadTurns keeps the turn numbers in the history of a private session distinct. It is subtracted
// from the numbers of the turns that belong to the thread.
const ThreadTurns = 1_000_000_000
