//go:build race

package sentence

const raceDetector = true
