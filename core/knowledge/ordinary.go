package knowledge

import "strings"

// ordinary is a set of words that alone do not make a name. It has the most common words of
// English, German, French and Spanish from the Snowball project's stop lists. It also has words
// that are typical of headings.
var ordinary = func() map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(`
		a about above after again against all also am an and any are as at be because been before being below between both but by can could did do does doing
		down during each few for from further had has have having he her here hers him his how i if in into is it its just me more most my no nor not now of
		off on once only or other our out over own same she should so some such than that the their them then there these they this those through to too
		under until up very was we were what when where which while who whom why will with would you your
		aber als am an auch auf aus bei bin bis das dass dem den der des die doch du durch ein eine einem einen einer eines er es fur hat ich ihr im in ist
		kann mit nach nicht noch nur oder sich sie sind so uber um und uns vom von vor war was wie wir wird zu zum zur
		au aux avec ce ces cet cette dans de des du elle en est et il ils je la le les leur lui ma mais me mes mon ne nos notre nous ont ou par pas pour qu que
		qui sa sans se ses son sont sur ta te tes toi ton tu un une vous
		como con del desde el ella ellos entre era es esa ese esta este fue ha hay la las lo los mas muy no nos o para pero por que ser si sin sobre su sus tambien y ya
		about abstract appendix author authors background changelog conclusion contact contents copyright description details example examples faq features
		general home index info information install installation introduction license links motivation name note notes number options other overview page
		parameters part purpose readme reference references requirements result results return returns section see setup summary synopsis table test tests
		title todo untitled usage use using value values version welcome`) {
		set[word] = true
	}
	return set
}()
