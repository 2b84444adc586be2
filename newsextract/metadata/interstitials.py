"""Pages in an article's place: consent walls, "enable JavaScript", errors served as 200, login, paywalls."""

import re
from collections.abc import Sequence
from typing import Any

from newsextract.metadata.describe import Described

#: Pages that stand in an article's place: reason, what title or headline say, what a short text says.
FACES = (
    (
        "consent",
        re.compile(
            r"before you continue|cookie (?:consent|settings|notice|preferences)|privacy (?:settings|choices)"
            r"|datenschutzeinstellungen",
            re.I,
        ),
        re.compile(
            r"(?:accept|allow|reject|manage) (?:all )?(?:cookies|consent|options)|we (?:and our partners )?(?:use"
            r"|value|process).{0,80}(?:cookies|privacy|personal data)|zustimm.{0,60}cookies"
            r"|\bwe (?:and|with) (?:\w+ ){0,4}partners (?:\w+ )?(?:store|keep|use|process|access|save)"
            r"|\b(?:agree|accept|consent)\b.{0,40}partners.{0,30}(?:store|keep|use|process|access|save)\b"
            r"|mit werbung.{0,60}(?:lesen|besuchen|weiter)|accepter.{0,40}cookies|同意.{0,20}cookie",
            re.I | re.S,
        ),
    ),
    (
        "no_javascript",
        re.compile(
            r"^just a moment|^attention required|javascript (?:is )?(?:required|disabled)|checking your browser"
            r"|verify(?:ing)? you are human|are you a robot|security check",
            re.I,
        ),
        re.compile(
            r"(?:enable|turn on|requires?|activate|without|need to enable) (?:\w+ )?javascript|javascript (?:is "
            r"|to be )?(?:disabled|required|enabled|aktivieren)|(?:aktivieren|activer|activez|habilite"
            r"|abilita).{0,30}javascript|verify (?:that )?you are (?:a )?human|checking (?:if|your browser)|captcha"
            r"|请(?:开启|启用).{0,10}javascript",
            re.I,
        ),
    ),
    (
        "error_page",
        re.compile(
            r"\b(?:404|410|403|500|502|503)\b(?=.{0,40}(?:not|error|page|forbidden|gone|unavailable|fehler|found"
            r"|$))|(?:page|seite|article|content|página|pagina) (?:was |is |wurde |could )?(?:not |nicht |no "
            r"|non )(?:be )?(?:found|gefunden|encontrada|trovata|available)|not found|access denied"
            r"|page introuvable|no existe|找不到|页面不存在|已删除|ページが見つかりません|oops",
            re.I,
        ),
        re.compile(
            r"(?:page|article|content|story).{0,60}(?:not (?:be )?found|no longer (?:available|exists?)"
            r"|doesn.t exist|does not exist|been (?:removed|moved|deleted)|unavailable)"
            r"|seite.{0,40}nicht (?:gefunden|verfügbar)|access (?:to this page )?(?:has been |is )?denied"
            r"|don.t have permission|页面不存在|您访问的页面|找不到.{0,8}页",
            re.I | re.S,
        ),
    ),
    (
        "login",
        re.compile(
            r"^(?:log ?in|sign ?in|anmelden|einloggen|connexion|iniciar sesi[oó]n|accedi|登录|登錄|ログイン)\b", re.I
        ),
        re.compile(
            r"(?:forgot|reset)(?: your)? password|remember me|don.t have an account|passwort vergessen"
            r"|mot de passe oublié|忘记密码",
            re.I,
        ),
    ),
    (
        "paywall_stub",
        re.compile(r"^(?:subscribe|subscription required|abonnement)", re.I),
        re.compile(
            r"(?:subscribe|sign up|register|log in|become a (?:member|subscriber)) (?:now )?(?:to|for"
            r"|and) (?:continue|keep|read|unlock|access|full)|(?:article|story|content) is (?:for|exclusive"
            r"|reserved|only).{0,30}(?:subscribers|members)|already a (?:subscriber|member)|continue reading with"
            r"|jetzt (?:weiterlesen|abonnieren|testen)|(?:réservé|réservée) aux abonnés"
            r"|exclusiv\w* para (?:suscriptores|assinantes)|付费|会员专享|会員限定",
            re.I,
        ),
    ),
)
#: A page with more text than this (characters) is no stand-in, whatever it says; the second is for paywalls.
STAND_IN, TEASER = 1_200, 900
#: Fewer characters than this are no text: then all that the page says counts.
SOME = 140
#: A page with a larger share of blocks that are links is a list.
MOSTLY = 0.55


def stand_in(page: Any, text: str, described: Described) -> str | None:
    """The reason of a page that stands in an article's place; None for all others."""
    if len(text) >= STAND_IN:
        return None
    title = f"{described.values.get('headline') or ''}\n{page.meta.title}"
    everything: Sequence[str] = page.blocks.texts
    size = sum(map(len, everything))
    links = float((page.blocks.link_shares > 0.5).mean()) if size else 0.0
    for reason, of_title, of_text in FACES:
        by_title = bool(of_title.search(title))
        limit = TEASER if reason == "paywall_stub" else STAND_IN
        if by_title and len(text) < limit and (reason != "login" or size < 4 * STAND_IN):
            return reason
        # A consent banner stands on every page of a site, lists of links among them: a page is a wall where the banner
        # is what was extracted, or a small page without much else.
        wall = reason == "consent"
        if wall and links > MOSTLY:
            continue
        chosen = size > (STAND_IN if wall else 3 * STAND_IN) or (wall and len(text) >= SOME)
        if len(text) < limit and of_text.search(text if chosen else "\n".join(everything)):
            return reason
    return None
