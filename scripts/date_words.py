"""Writes newsextract/language/date_words.json: the words around dates in 190 languages.

Names of months and days of the week, relative phrases ("vor 3 Stunden"), halves of the day, and words that add nothing
to a date ("um", "Uhr").

    pip install dateparser==1.5.0 && python scripts/date_words.py

The words are those of dateparser's translation data (BSD-3-Clause), which it generates from Unicode CLDR and its own
supplements. dateparser itself is not a dependency: its parser takes milliseconds a string and reads dates into any
number, so that only these tables are used (see `newsextract.language.date_parser`).
"""

import importlib
import json
import pkgutil
import re
from collections.abc import Iterable
from importlib.metadata import version
from itertools import chain
from pathlib import Path

from newsextract.language.date_parser import UNITS, lower_same_length

PACKAGE = "dateparser.data.date_translation_data"
MONTHS = "january february march april may june july august september october november december".split()
DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
#: Month names that the tables lack, by language, twelve a row; "-" where nothing is to be added. Arabic as written in
#: the Levant and Iraq, Algeria and Tunisia, Morocco, and without hamza; genitives; Serbian in Latin letters; Greek
#: without accents; letters of Hindi and Bengali as one sign and as two.
MORE_MONTHS = {
    "ar": (
        "كانون_الثاني شباط آذار نيسان أيار حزيران تموز آب أيلول تشرين_الأول تشرين_الثاني كانون_الأول",
        "كانون_ثاني - اذار - ايار - - اب ايلول تشرين_أول تشرين_ثاني كانون_أول",
        "جانفي فيفري - أفريل ماي جوان جويلية أوت - - - -",
        "- - - - - - يوليوز غشت شتنبر - نونبر دجنبر",
        "- - - ابريل - - - اغسطس - اكتوبر - -",
    ),
    "sr": (
        "јануара фебруара марта априла маја јуна јула августа септембра октобра новембра децембра",
        "januar februar mart april maj jun jul avgust septembar oktobar novembar decembar",
        "januara februara marta aprila maja juna jula avgusta septembra oktobra novembra decembra",
        "jan feb mar apr - - - avg sep okt nov dec",
    ),
    "bs": ("januara februara marta aprila maja juna jula augusta septembra oktobra novembra decembra",),
    "sl": ("januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra",),
    "lv": ("janvārī februārī martā aprīlī maijā jūnijā jūlijā augustā septembrī oktobrī novembrī decembrī",),
    "et": (
        "jaanuaril veebruaril märtsil aprillil mail juunil juulil augustil septembril oktoobril novembril detsembril",
    ),
    "el": (
        "ιανουαριου φεβρουαριου μαρτιου απριλιου μαιου ιουνιου ιουλιου αυγουστου σεπτεμβριου οκτωβριου νοεμβριου"
        " δεκεμβριου",
    ),
    "hi": ("- फरवरी - - - - - - - - - -", "- फ\u093cरवरी - - - - - - - - - -"),
    "bn": ("জান\u09c1য\u09bcারি ফেব্রুয\u09bcারি - - - - - আগষ্ট - - - -", "জানু\u09dfারি ফেব্রু\u09dfারি - - - - - - - - - -"),
    "gu": ("- - - - - - - ઓગસ્ટ - ઓક્ટોબર - -",),
    "eu": (
        "urtarrilaren otsailaren martxoaren apirilaren maiatzaren ekainaren uztailaren abuztuaren irailaren urriaren"
        " azaroaren abenduaren",
        "urtarrilak otsailak martxoak apirilak maiatzak ekainak uztailak abuztuak irailak urriak azaroak abenduak",
    ),
    "mn": (
        " ".join(f"{month}-р_сарын" for month in range(1, 13)),
        "нэгдүгээр_сарын хоёрдугаар_сарын гуравдугаар_сарын дөрөвдүгээр_сарын тавдугаар_сарын зургаадугаар_сарын"
        " долоодугаар_сарын наймдугаар_сарын есдүгээр_сарын аравдугаар_сарын арван_нэгдүгээр_сарын"
        " арван_хоёрдугаар_сарын",
        " ".join(f"{month}_{'дүгээр' if month in (1, 4, 9, 11) else 'дугаар'}_сарын" for month in range(1, 13)),
        "- - - - - зургадугаар_сарын долдугаар_сарын - - - - -",
    ),
    "th": ("ม.ค ก.พ มี.ค เม.ย พ.ค มิ.ย ก.ค ส.ค ก.ย ต.ค พ.ย ธ.ค",),
    "vi": (" ".join(f"tháng_{month}" for month in range(1, 13)),),
}
#: Names of the months of the Persian solar year, in Iran and in Afghanistan.
JALALI = (
    "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند",
    "حمل ثور جوزا سرطان اسد سنبله میزان عقرب قوس جدی دلو حوت",
    "- - - - امرداد - - ابان اذر - - -",
)
#: Words that the tables lack: before noon, after noon, and words that add nothing to a date; `_`: a space.
MORE_WORDS = {
    "ar": ("صباحا", "مساء", "بتوقيت يوم الساعة بتاريخ"),
    "be": ("", "", "г а у"),
    "bg": ("", "", "г ч часа"),
    "bn": ("পূর্বাহ্ণ", "অপরাহ্ণ", "টায় মিনিট তারিখ"),
    "ca": ("", "", "a_les h les"),
    "cs": ("", "", "v ve hod"),
    "da": ("", "", "den kl klokken"),
    "de": ("", "", "uhr um am den vom"),
    "el": ("", "", "στις ώρα"),
    "en": ("", "", "hrs hours h o'clock the on at of"),
    "es": ("de_la_mañana", "de_la_tarde de_la_noche", "a_las a_la las hs h horas hora el"),
    "fa": ("صبح", "عصر", "ساعت مورخ"),
    "fi": ("", "", "klo kello"),
    "fr": ("", "", "à h le"),
    "he": ("", "", "בשעה"),
    "hi": ("सुबह", "शाम", "बजे"),
    "hr": ("", "", "u h sati"),
    "hu": ("", "", "óra órakor"),
    "id": ("", "", "pada pukul jam"),
    "it": ("", "", "alle ore h il"),
    "lt": ("", "", "d"),
    "mk": ("", "", "г"),
    "ms": ("", "", "pada jam"),
    "nb": ("", "", "den kl klokken"),
    "nl": ("", "", "om uur"),
    "pl": ("", "", "godz o r dnia"),
    "pt": ("da_manhã", "da_tarde da_noite", "às h horas"),
    "ro": ("", "", "la ora"),
    "ru": ("утра", "вечера дня", "в час г года год"),
    "sr": ("", "", "u h у ч г год"),
    "sv": ("", "", "den kl klockan"),
    "th": ("", "", "น เวลา วันที่ เมื่อ"),
    "tr": ("", "", "saat"),
    "uk": ("", "", "о об р року"),
    "vi": ("sáng", "chiều tối", "lúc ngày giờ"),
    "zh": ("凌晨 清晨 早上", "晚上 晚間 晚间 傍晚", "星期 週一 週二 週三 週四 週五 週六 週日 一 二 三 四 五 六"),
}
OUTPUT = Path(__file__).parents[1] / "newsextract" / "language" / "date_words.json"


def main() -> None:
    """Writes the table, a language a line."""
    names = [module.name for module in pkgutil.iter_modules(importlib.import_module(PACKAGE).__path__)]
    lines = [f' "source": "dateparser {version("dateparser")}, {PACKAGE}, from Unicode CLDR"']
    for name in sorted(filter(re.compile(r"[a-z]{2,3}").fullmatch, names)):
        table = importlib.import_module(f"{PACKAGE}.{name}").info
        more = zip(*(row.split() for row in MORE_MONTHS.get(name, ("- " * 12,))), strict=True)
        months = [_month_words([*table.get(month, ()), *rest]) for month, rest in zip(MONTHS, more, strict=True)]
        ago = {
            key.split()[1]: phrases
            for key, phrases in table.get("relative-type-regex", {}).items()
            if key.endswith(" ago") and key.split()[1] in UNITS
        }
        words = {"months": months, "ago": ago, "days": [word for day in DAYS for word in _words(table.get(day, ()))]}
        more_words = MORE_WORDS.get(name, ("", "", ""))
        words |= {
            key: _words([*chain.from_iterable(table.get(source, ()) for source in sources), *extra.split()])
            for (key, *sources), extra in zip(
                (("am", "am"), ("pm", "pm"), ("fillers", "skip", "pertain")), more_words, strict=True
            )
        }
        if name in ("fa", "ps"):
            words["jalali"] = [_words(names) for names in zip(*(row.split() for row in JALALI), strict=True)]
        lines.append(f' "{name}": {json.dumps(words, ensure_ascii=False)}')
    OUTPUT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _month_words(words: list[str]) -> list[str]:
    return _words(word for word in words if len(word) > 1 and not word.isdigit())


def _words(words: Iterable[str]) -> list[str]:
    """Words in lower case, each once, without brackets and final points; no punctuation."""
    plain = (lower_same_length(word.replace("_", " ")).strip(" .()") for word in words)
    return list(dict.fromkeys(word for word in plain if word != "-" and any(map(str.isalpha, word))))


if __name__ == "__main__":
    main()
