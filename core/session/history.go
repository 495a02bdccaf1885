package session

// ThreadTurns is subtracted from the turn numbers of a thread when its turns precede those of a
// private session in a history. It keeps the numbers of both distinct.
const ThreadTurns = 1_000_000_000
