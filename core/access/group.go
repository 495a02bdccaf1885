package access

// BoundGroup binds a group of a chat platform, by its native id, to a group name in access lists.
// The platform's own group names do not count, since anyone who may rename a group could otherwise
// gain access.
type BoundGroup struct{ ID, Name string }
