// Package layout holds no code: its tests keep the architecture, by reading the imports of the
// whole repository.
package layout
