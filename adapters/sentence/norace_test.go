//go:build !race

package sentence

const raceDetector = false
