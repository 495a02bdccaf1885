package access

// BoundGroup maps the native id of a chat platform's group to a group name in access lists. The
// group's name on the platform has no effect. Otherwise anyone who can rename a group could gain
// access.
type BoundGroup struct{ ID, Name string }
