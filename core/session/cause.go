package session

// Cause is a code for the reason why a model wrote no answer, or only a limited one. It is empty if
// there was no problem.
type Cause string

// Values of [Cause].
const (
	CauseDown        Cause = "down"        // the endpoint could not be reached, or was not available
	CauseStalled     Cause = "stalled"     // the endpoint stopped sending
	CauseAuth        Cause = "auth"        // the endpoint refused the credentials
	CauseNotFound    Cause = "not_found"   // the endpoint does not know the model or the address
	CauseRequest     Cause = "request"     // the endpoint refused the request
	CauseBusy        Cause = "busy"        // the endpoint asks for a pause
	CauseBudget      Cause = "budget"      // a cost cap leaves no room
	CauseTooLong     Cause = "too_long"    // the prompt does not fit
	CauseEmpty       Cause = "empty"       // the model wrote nothing
	CauseEndless     Cause = "endless"     // the model did not stop writing
	CauseUnchecked   Cause = "unchecked"   // a filter could not check the answer
	CauseUnsearched  Cause = "unsearched"  // the documents could not be searched
	CauseInterrupted Cause = "interrupted" // the process ended
	// CauseAudience means that the audience is unknown, so the answer uses only public documents.
	CauseAudience Cause = "audience"
	CauseInside   Cause = "inside" // the program is at fault
)
