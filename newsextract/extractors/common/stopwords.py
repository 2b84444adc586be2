"""Stop words: function words of the languages of most news, which say nothing about a text's topic.

Lower-cased. One set for all languages, because a page's language is not known before its article is; words that are a
stop word in one language and a topic in another (German "die", "war") are few and cost little. Tokens of one letter
are never keywords and need no entry.
"""

_BY_LANGUAGE = {
    "en": """
        about above across after again against all almost along already also although always am among an and another
        any anyone anything are around as at away back be became because become been before behind being below between
        both but by came can cannot can't come could did didn't do does doesn't doing done don't down during each
        either else enough even ever every everyone everything few first for from further gave get gets getting give
        go goes going gone got had has hasn't have haven't having he he's her here hers herself him himself his how
        however i'm i've if in instead into is isn't it it's its itself just keep kept knew know known last later least
        less let like likely made make makes making many may maybe me might more most much must my myself near never
        next no nobody none nor not nothing now of off often on once one only onto or other others our ours out over
        own part per perhaps put quite rather really said same saw say saying says see seem seemed seems seen several
        shall she she's should since so some someone something still such take taken than that that's the their theirs
        them themselves then there there's these they they're thing things this those though through thus till to
        today together told too took toward towards two under until up upon us use used using very via want wants was
        wasn't way we we're we've well went were weren't what when where whether which while who whole whom whose why
        will with within without won't would wouldn't yes yet you you're your yours
    """,
    "zh": """
        一个 一些 一样 一直 一般 一种 一次 一定 一点 一下 不是 不过 不同 不能 不会 不但 不仅 不要 不得 与其 为了
        为什么 之一 之间 之后 之前 也是 也就是 于是 什么 今天 他们 她们 它们 以及 以上 以下 以后 以前 以来 以为 任何
        但是 但在 作为 你们 使得 其中 其他 其实 其它 再次 则是 刚刚 包括 即使 却是 又是 及其 双方 只是 只有 只要
        可以 可能 可是 各种 同时 后来 向着 否则 因为 因此 因而 在于 多少 大家 如何 如果 如此 如下 它的 对于 对此
        尤其 尽管 就是 已经 已是 并不 并且 并非 应该 当时 开始 很多 怎么 怎样 总之 成为 我们 我的 或者 所以 所有
        才能 所谓 接着 方面 无论 时候 是否 曾经 有些 有关 有的 正在 此外 此次 每个 比如 没有 然后 然而 特别 甚至
        由于 的话 目前 直到 相关 看到 真的 知道 来说 虽然 认为 许多 这个 这些 这样 这是 这种 这里 进行 通过 那个
        那些 那么 那样 那里 都是 随着 除了 需要 非常 自己 表示 还有 还是 而且 而是 根据 关于 具有 之中 更加 比较
        十分 均为 以此 为此 仍然 依然 大约 左右
    """,
    "de": """
        aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bereits bis bisher da
        dabei dadurch dafür dagegen daher damit danach dann daran darauf darin darüber das dass dazu dem den denen
        denn dennoch der deren des deshalb dessen die dies diese diesem diesen dieser dieses doch dort durch ein eine
        einem einen einer eines einige einigen er erst es etwa etwas für gegen habe haben hat hatte hatten hier hinter
        ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jeden jeder jedoch jetzt kann kein
        keine keinen können könnte man mehr mein mit muss müssen nach nachdem nicht nichts noch nun nur ob oder ohne
        schon sehr sei sein seine seinem seinen seiner seit sich sie sind so sogar solche soll sollen sollte sondern
        sowie über um und uns unser unter viel viele vom von vor wann war waren warum was weil weiter welche wenn wer
        werde werden wie wieder will wir wird wo wurde wurden würde zu zum zur zwar zwei zwischen
    """,
    "fr": """
        ai ainsi alors après au aucun aucune aujourd'hui aussi autre autres aux avait avant avec avoir c'est car ce
        cela celle celui ces cet cette ceux chaque chez comme comment contre d'un d'une dans de depuis des deux donc
        dont du déjà elle elles en encore entre est et eu eux faire fait fois font il ils j'ai je jusqu'à la le les
        leur leurs lors lui là ma mais me même mêmes moins mon même ne ni nos notre nous n'a n'est on ont ou où par
        parce pas pendant peu peut plus plusieurs pour pourquoi puis qu'il qu'elle qu'un quand que quel quelle quelques
        qui quoi sa sans se selon ses si soit son sont sous sur ta tandis tous tout toute toutes très trop tu un une
        vers voir vos votre vous été être était étaient
    """,
    "es": """
        al algo algunas algunos ante antes aquel aquella aquí así aun aunque bajo bien cada casi como con contra cual
        cuando cuatro de del desde después donde dos durante el él ella ellas ellos en entonces entre era eran es esa
        ese eso esta está están estaba estas este esto estos fue fueron ha había habían han hace hacer hacia hasta hay
        incluso la las le les lo los luego mas más me menos mi mientras mismo misma mucho muchos muy nada ni no nos
        nosotros nunca otra otras otro otros para pero poco por porque pues puede pueden que qué quien quienes se según
        sea ser si sí sido siempre sin sino sobre solo sólo son su sus también tan tanto te tener tiene tienen toda
        todas todo todos tras tres tu un una unas uno unos usted va vez ya yo
    """,
    "pt": """
        ainda além algo alguns ao aos apenas após as às até cada com como contra da das de depois desde dia disse do
        dos durante ela elas ele eles em enquanto entre era essa esse esta está estão este eu foi foram há isso isto já
        lhe mais mas me mesmo meu minha muito muitos na não nas nem no nos nós num numa onde os ou outra outras outro
        outros para pela pelas pelo pelos pode por porque qual quando que quem são se segundo seja sem sempre ser será
        seu seus só sobre sua suas também tem têm ter toda todas todo todos tão três tudo um uma você
    """,
    "it": """
        agli ai al alla alle allo anche ancora anni aveva bene che chi ci come con contro così cui da dai dal dalla
        dalle degli dei del dell'anno della delle dello dentro di dopo dove due ed era erano essere fa fino fra già gli
        ha hanno il in invece io la le lei li lo loro lui ma meno mentre mi molti molto ne nei nel nella nelle noi non
        nostro ogni oggi ora per perché più poi prima può quale quali quando quanto quella quelle quelli quello questa
        queste questi questo qui se sempre senza si sia solo sono sopra sotto stata stati stato su sua sue sui sul
        sulla suo suoi tra tre tutta tutte tutti tutto un una uno vi
    """,
    "nl": """
        aan al alle alleen als altijd andere bij daar dan dat de deze die dit doen door dus echter een eens en er ga
        geen haar had hebben heeft hem het hier hij hoe hun ik in is ja je kan kunnen maar meer men met mij mijn moet
        moeten na naar niet niets nog nu of om omdat onder ons ook op over te tegen toch toen tot tussen uit van veel
        voor waar want waren was wat we weer wel werd werden wie wij wil worden wordt ze zei zelf zich zij zijn zo
        zonder zou zouden
    """,
    "ru": """
        без более больше будет будут был была были было быть вам вас весь во вот все всего всех всё вы где да даже два
        для до его ее если есть еще ещё её же за здесь из или им ими их как когда кто ли либо между меня мне много
        может можно мы на над надо нас не него нее нет ни них но ну об однако он она они оно от очень перед по под
        после потом потому почти при про раз сам свои своих своей со сказал так также такие такой там тем то того
        тоже той только том тот тут ты уже хотя чего чем через что чтобы эта эти этих это этого этой этом этот
    """,
    "ja": """
        これ それ あれ この その あの ここ そこ こと もの ため よう さん する した して いる ある なる れる られる
        から まで など
    """,
    "ar": """
        أن إن أو إذا إلى أما أي التي الذي الذين الى ان او بعد بين تم ثم حتى حيث خلال ذلك على عن عند غير فإن في فيه
        فيها قال قبل قد كان كانت كل كما لا لم لن له لها ما مع من منذ منها منه هذا هذه هناك هو هي وأن وفي وقد وقال وكان
        ولا وما ومن وهو وهي يكون
    """,
}
#: Stop words of all languages.
STOP_WORDS = frozenset(word for words in _BY_LANGUAGE.values() for word in words.split())
