package session

// ThreadTurns is subtracted from the numbers of a thread's turns in the history of a private
// session. So no two turns of a history have the same number.
const ThreadTurns = 1_000_000_000
