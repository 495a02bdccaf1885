package session

// ThreadTurns is subtracted from the turn numbers of a thread in the history of a private session.
// So all turns of a history have distinct numbers.
const ThreadTurns = 1_000_000_000
