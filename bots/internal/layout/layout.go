// Package layout holds no code: its tests keep the architecture, by reading and
// type-checking the whole repository.
package layout
