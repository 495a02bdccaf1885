package session

// ThreadTurns is subtracted from the turn numbers of a thread in the history of a private session.
// All turns of a history then have distinct numbers.
const ThreadTurns = 1_000_000_000
