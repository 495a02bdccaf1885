package budget

// Limits are the most that each part of a conversation may take, in tokens.
// They are fractions of a window and are not rounded, because comparisons with
// them are.
type Limits struct {
	// Window is the whole prompt window of the model.
	Window int
	// System is the share of the instructions, History that of earlier messages,
	// User that of the newest message.
	System, History, User float64
}

// The shares of a window: instructions and history at best 15 % each, the
// newest message 70 %.
const (
	systemShare  = 0.15
	historyShare = 0.15
	userShare    = 0.70
)

// LimitsOf returns the limits of a window: 15, 15 and 70 percent.
func LimitsOf(window int) Limits {
	w := float64(window)
	return Limits{Window: window, System: w * systemShare, History: w * historyShare, User: w * userShare}
}
