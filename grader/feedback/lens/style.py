"""How the lens looks, on light and on dark pages."""

from grader.feedback.themes import themed

# Okabe and Ito's colors, which people with red-green color blindness can distinguish; forms differ, too
_LIGHT = """
.ss-lens{font-family:system-ui,sans-serif;font-size:11px;fill:#222;background:transparent}
.ss-lens .axis{stroke:#888;stroke-width:1}.ss-lens .grid{stroke:#8884;stroke-width:1}
.ss-lens .band{fill:#8881}.ss-lens .now{fill:#56b4e922}
.ss-lens .past{fill:#88888830}.ss-lens .watermark{stroke:#0072b2;stroke-width:2.5;fill:none}
.ss-lens .watermark.evicts{stroke:#222;stroke-width:1.6;stroke-dasharray:5 3}
.ss-lens .watermark.further{opacity:.6}
.ss-lens .event{fill:#009e73;stroke:#009e73;stroke-width:1.2}
.ss-lens .event.other{fill:#cc79a7;stroke:#cc79a7}
.ss-lens .event.silent{fill:none}.ss-lens .event.unsure{fill:none;stroke-dasharray:2 1.6}
.ss-lens .wait{stroke:#009e73;stroke-width:1.4;fill:none;opacity:.75}
.ss-lens .wait.other{stroke:#cc79a7;stroke-dasharray:5 2}
.ss-lens .late{stroke:#d55e00;stroke-width:2.4;fill:none}
.ss-lens .span{fill:#e69f0026;stroke:#b87f00;stroke-width:1.2}
.ss-lens .span.missing{fill:none;stroke-dasharray:4 3;stroke:#d55e00}
.ss-lens .span.unexpected{fill:#d55e0022;stroke:#d55e00;stroke-width:2}
.ss-lens .span.own{fill:#0072b21f;stroke:#0072b2;stroke-width:.8}
.ss-lens .span.fading{fill:url(#ss-fade);stroke:none}
.ss-lens .timer{fill:#0072b2;stroke:#0072b2;stroke-width:1.2}
.ss-lens .link{fill:#e69f0030;stroke:#b87f00;stroke-width:.6;stroke-dasharray:2 2}
.ss-lens .emit{stroke:#b87f00;stroke-width:4}
.ss-lens .emit.missing{stroke:#d55e00;stroke-width:2.5;stroke-dasharray:4 3}.ss-lens .wrong{font-weight:bold}
.ss-lens .label{font-size:9px;fill:#444}
.ss-lens .soft{fill:#666}.ss-lens .mono{font-family:ui-monospace,Menlo,monospace;font-size:10.5px}
"""
_DARK = [
    ("", "fill:#ddd"),
    (" .soft", "fill:#aaa"),
    (" .label", "fill:#bbb"),
    (" .watermark", "stroke:#56b4e9"),
    (" .watermark.evicts", "stroke:#eee"),
    (" .span", "stroke:#e69f00"),
    (" .span.missing", "stroke:#ff8c42"),
    (" .span.own", "stroke:#56b4e9"),
    (" .timer", "fill:#56b4e9;stroke:#56b4e9"),
    (" .span.unexpected", "stroke:#ff8c42"),
    (" .late", "stroke:#ff8c42"),
    (" .emit", "stroke:#e69f00"),
    (" .emit.missing", "stroke:#ff8c42"),
]


def style() -> str:
    return themed("ss-lens", _LIGHT, _DARK)
