"""Closed word classes of English that names are told by; all in lower case, abbreviations without their stop."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STYLES = _words(
    """king queen prince princess duke duchess earl count countess baron baroness lord lady knave emperor empress
    pope archbishop bishop sultan tsar"""
)
RANKS = _words(
    """mr mrs ms miss master mister madam dr doctor prof professor rev reverend father mother brother sister sir
    dame captain capt commander colonel col major general gen lieutenant lt sergeant sgt corporal admiral
    commodore judge justice president mayor minister senator governor inspector constable nurse aunt uncle
    cousin chief chairman chairwoman director secretary saint"""
)
TITLES = STYLES | RANKS | frozenset(f"{rank}." for rank in RANKS)
# Words that are a name only together with what follows.
NEVER_ALONE = _words(
    """mr mrs ms miss dr prof rev capt col gen lt sgt st sir madam mister saint mr. mrs. ms. dr. prof. rev. capt.
    col. gen. lt. sgt. st. chapter volume page figure table section"""
)
ADDRESSES = _words(
    """senor señor signor signore monsieur madame mademoiselle herr frau ma pa majesty majesties highness honour
    honor excellency worship lordship ladyship ma'am ma’am sirs gentlemen ladies god heaven heavens goodness
    lord dear darling sir madam mamma papa mama mum dad mother father"""
)
INTERJECTIONS = _words(
    """pray oh o ah aha alas hey hello hallo hullo hi hush hurrah hooray ho hm hmm hem ahem ugh wow yes no nay aye
    ay ou well please thanks thank bah pooh pshaw fie bravo amen goodbye good-bye welcome okay ok lo"""
)
CALENDAR = _words(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december christmas easter spring summer autumn winter today yesterday tomorrow"""
)
NUMBERS = _words(
    """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million first
    second third fourth fifth sixth seventh eighth ninth tenth no nos number"""
)
PEOPLES = _words(
    """english british scottish irish welsh french german dutch spanish portuguese italian greek roman latin
    russian polish swedish norwegian danish finnish turkish arab arabic jewish hebrew christian muslim american
    canadian mexican african european asian indian chinese japanese korean australian protestant catholic
    victorian"""
)
CONNECTORS = _words("de du des da di del della der den van von la le ter bin ibn al el y")
SPEECH_VERBS = _words(
    """say ask reply answer think cry exclaim remark shout add whisper mutter continue repeat growl sigh murmur
    interrupt demand scream plead tell believe hope wish want know feel see look laugh smile speak write read
    remember forget suggest argue agree promise insist complain explain warn nod weep sing walk sit run marry
    love hate"""
)
STOP = _words(
    """a about above across after again against all almost alone along already also although always am among an and
    another any anybody anyone anything are aren around as at away back be became because become been before
    behind being below beneath beside between beyond both but by came can cannot could couldn did didn do does
    doesn doing don done down during each either else enough even ever every everybody everyone everything
    except few for from further get gets got had hadn has hasn have haven having he hence her here hers herself
    him himself his how however i if in indeed instead into is isn it its itself just least less let like made
    make makes many may me might mine more most mr mrs ms much must my myself near neither never next no nobody
    none nor not nothing now of off often on once one only onto or other others our ours ourselves out over own
    perhaps per quite rather really said same say says shall she should since so some somebody someone something
    sometimes soon still such than that the their theirs them themselves then there therefore these they thing
    things this those though through thus till to together too toward towards under unless until up upon us very
    was wasn we well went were weren what whatever when whenever where whether which while who whoever whole
    whom whose why will with within without won would wouldn yet you your yours yourself"""
)
# What a question says about itself, not about what it asks for.
ASKING = _words(
    """tell happen happens happened name mentioned know main certain kind sort way ways mean means role part told
    anything question please according text story history overview summary book document documents corpus"""
)
# What it begins with where it is a request; elsewhere such a verb is what somebody did.
REQUESTS = _words("answer describe explain give list mention")
# Last words of names, and nouns beside a name, that tell what it names.
PLACES = _words(
    """street road avenue lane square island isle bay river mount mountain lake harbour harbor valley castle town
    village city county country park garden bridge cape coast sea ocean strait sound channel gulf sands quay
    house hill wood forest port beach point head station hall inn hotel church chapel cathedral abbey tower
    lighthouse district province region"""
)
BODIES = _words(
    """company ltd inc corporation committee council society trust university institute ministry guild union club
    board works department agency bank museum school college association party press office court gazette times
    parliament commission brothers sons bakery hospital theatre orchestra firm store shop army navy church"""
)
EVENTS = _words(
    """war battle festival fire flood storm conference expedition regatta fair inquiry trial race revolution
    election accident exhibition congress wedding fog earthquake wreck siege"""
)
OBJECTS = _words(
    """organ bell lamp engine book letter treaty act clock sword ring crown map chart diary log machine ship boat
    ferry barge steamer schooner brig yacht vessel frigate tug launch locomotive pipe roll ledger medal
    telescope statue painting horn play poem novel song newspaper"""
)
KIN = _words(
    """mother father sister brother son daughter wife husband uncle aunt cousin child girl boy man woman lady
    gentleman friend widow nephew niece grandfather grandmother mayor clerk captain baby cat dog horse pony
    kitten puppy king queen doctor cook guide spy curator"""
)
TRADES = (
    "man",
    "woman",
    "smith",
    "master",
    "wright",
    "keeper",
    "maker",
    "eer",
    "ist",
    "ician",
    "ian",
    "er",
    "or",
    "ant",
)
# Nouns too general to be what a text is about.
GENERAL = _words(
    """time way thing moment voice word hand head eye face foot side end day minute year place tone sort kind bit
    deal course man woman people person child life world part point case fact work name number matter idea
    reason question answer house home room door water air night morning evening afternoon week month hour today
    yesterday tomorrow lot piece pair order turn rest top bottom middle front back one something nothing
    anything everything someone anyone everyone rule use change state line form group problem system company
    country city town area money power story book hair arm leg finger nose mouth ear shoulder body mind heart
    breath look sight sound noise silence hurry surprise distance direction manner meaning sentence conversation
    subject remark party length size inch mile pound yard feeling thought opinion pleasure trouble difficulty
    chance mistake sense cause effect result attention care instant age master sir madam lady gentleman boy girl
    mother father sister brother son daughter wife husband friend family creature animal ton metre meter
    kilometre gallon litre value level amount half quarter dozen cost price meeting office page paragraph
    chapter example"""
)
