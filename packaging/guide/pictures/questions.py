"""How people ask about pictures: the training's wordings, and those that only the evaluation uses."""

import random
from collections.abc import Callable, Mapping
from functools import cache

from guide.phrasing import Choice, matcher, parse, plain, vary

_PICTURE = "(picture|image|photo|drawing|screenshot|pic)"
_HUE = "(colour|color|hue|shade|tint|tone|paint)"
_MANY = "(how many|how much|what number of|what amount of|how large a number of)"

ASK: dict[str, tuple[str, ...]] = {
    "describe": (
        "what do you see(| here| now| in this PICTURE| in the PICTURE)",
        "what can you see(| here| in this PICTURE| on this PICTURE)",
        "(describe|explain) (the|this|my) PICTURE(| to me| for me| in a few words| in detail| shortly)",
        "what is (in|on) (this|the|my) PICTURE",
        "what does (this|the|my) PICTURE show",
        "what is (this|that|it)(| here| supposed to be)",
        "tell me what (you see|is in the PICTURE|this PICTURE shows|is on it)",
        "(can|could) you (describe|look at|tell me about) (this|the|my) PICTURE",
        "what am i looking at(| here)",
        "look at (this|the|my) PICTURE(| and tell me what you see)",
        "give me a (short |quick ||brief )(description|summary|caption) (of|for) (this|the) PICTURE",
        "write a (short||one line) caption for (this|the|my) PICTURE",
        "(say|tell me) something about (this|the|my) PICTURE",
        "what (things|objects) (are there|do you see|can you find|are in the PICTURE)",
        "PICTURE description",
        "i (made|drew|took|have) this PICTURE, what (is|do you see) (on|in) it",
        "(what about|how about|and) this (one|PICTURE)",
        "do you (see|recognise|recognize|know) (this|it|this PICTURE|what this is)",
        "what have i (drawn|sent|uploaded|dropped)(| here)",
        "here is (a|my) PICTURE, (what is it|describe it|what do you see)",
        "please describe (it|what you see)",
        "any idea what this (is|PICTURE shows)",
        "(what|which) (colour|color) and (what |which |)shape (is it|is this|do you see|does it have)",
        "(what|which) shape and (what |which |)(colour|color) (is it|is this|do you see|does it have)",
        "(what is it|which shape is it) and where(| is it)",
        "(here you go|here it is|here|look|there|now)",
    ),
    "colour": (
        "what (colour|color) is (it|this|that|the shape|the thing|the object)",
        "which (colour|color) (is it|is this|does it have|has it|do you see)",
        "what (colours|colors) (are there|do you see|are in the PICTURE|does the PICTURE have|can you see)",
        "tell me the (colour|color)(| of it| of the shape| of this)",
        "what is the (colour|color)(| of it| of this| of the shape| of the thing)",
        "(colour|color)",
        "the (colour|color) please",
        "what (colour|color) (do|can) you see(| here| in this PICTURE)",
        "name the (colour|color)(| of the shape| you see)",
        "can you tell (me |)(the|which|what) (colour|color)(| it is| this is)",
        "what (main|dominating|dominant) (colour|color) (is it|does it have|is there)",
        "which (colours|colors) (does|do) (the PICTURE|this PICTURE|you) (have|see|contain)",
        "is it red or (blue|green|yellow) or what",
        "do you (know|see) (what|which) (colour|color) (it|this) is",
        "(what|which) (colour|color) did i (use|draw it in|paint it with)",
        "in (what|which) (colour|color) is (it|the thing|the shape) (drawn|painted)",
        "what is its (colour|color)",
        "its (colour|color)",
        (
            "(what|which) HUE (is it|is this|is that|is the thing|does it have|do you see|has it|has the "
            "shape|is the figure|is used)"
        ),
        "(what|which) HUE (does|has|is) (this|that) (shape|thing|figure|object)(| have| got)",
        "(what|which) HUE (has|is) the (shape|thing|figure|object)(| got)",
        "(name|tell me|say|give me|state) (the|its|this) HUE(| of it| of the (shape|figure|thing|object))",
        "(its |the |)HUE(| of it| of the (shape|figure|thing|object))",
        "(what is|what would you say is|do you know) (its|the) HUE(| of it| of the (shape|figure|thing|object))",
        "(what|which) HUE would you (call|name) (it|this|that)",
        "i (need|want|would like) to know (the|its|which|what) HUE(| it is| it has| of it)",
        (
            "(how|in what HUE|in which HUE) is (the shape|the thing|this|the figure) (painted|coloured|"
            "colored|drawn|filled)"
        ),
        "(can|could) you (see|make out|tell|name) (the|its|what|which) HUE(| it is| of it)",
        "i can not (see|tell) (the|its|what|which) HUE(| it is| it has), (help me|please tell me|what is it)",
        "(with|in) (what|which) HUE did (i|they|you|someone) (paint|draw|fill|make) (it|this|the shape)",
        "(HUE|HUEs) used(| here| in it)",
    ),
    "colour_of": (
        "what (colour|color) is the {shape}",
        "which (colour|color) (is|has|does) the {shape}(| have)",
        "what is the (colour|color) of the {shape}",
        "tell me the (colour|color) of the {shape}",
        "the {shape}, what (colour|color) is it",
        "and the (colour|color) of the {shape}",
        "(colour|color) of the {shape}",
        "and the {shape}, what (colour|color)",
        "in (what|which) (colour|color) is the {shape} (drawn|painted)",
        "do you see the (colour|color) of the {shape}",
        "the {shape} is (what|which) (colour|color)",
        "name the (colour|color) of the {shape}",
        "(what|which) HUE (is|has|does) the {shape}(| have)",
        "(tell me |name |say |)the HUE of the {shape}",
        "(the |){shape} HUE",
        "how is the {shape} (coloured|colored|painted|filled)",
    ),
    "shape": (
        "what shape is (this|it|that|in the PICTURE)",
        "which shape (is it|is this|do you see|does it have|has it|is in the PICTURE)",
        "what (kind|sort|type) of (shape|figure|form) is (it|this|that)",
        "what is the shape(| of it| of this| in the PICTURE| called)",
        "name the (shape|shapes|figure)(| in the PICTURE| you see)",
        "tell me the shape(| please| you see)",
        "what (shapes|figures|forms) (are there|do you see|are in the PICTURE|can you see)",
        "(shape|the shape)",
        "which (geometric |geometrical |)(shape|form|figure) is (this|it|shown|drawn)",
        "is it a circle or a square or (what|something else)",
        "what form (does it have|is it|has it)",
        "(can|could) you (name|tell me|recognise) the (shape|figure)",
        "what did i draw(| here)",
        "which (shape|figure) (did i draw|is drawn here|is it called)",
        "what is the (figure|form|symbol|object) (in the PICTURE|here|called)",
        "do you (know|recognise|recognize) (the|this) shape",
        "what is its (shape|form)",
        "what is (drawn|painted) (here|on it|in the PICTURE)",
        "(so |)what (shape|figure|form) do (we|i) (have|see)",
        "(tell me|say|name|state) (which|what) (shape|figure|form) (it is|this is|that is|you see|is here|is drawn)",
        "i (want|need|wonder|would like) to know (what|which) (shape|figure|form) (it is|this is|it has)",
        "(the |its |)(shape|form|figure)(| of it| of this thing| name)",
        "how (do|would) you (call|name) (it|this shape|that figure|the form|this form)",
        (
            "is it (round|square|a triangle|a heart|a line or an arrow|a star or a heart|a ring or a cross) "
            "or (what|something else|another shape)"
        ),
        "(what|which) shape (has|does) (the thing|this object|that thing|it)(| have| got)",
        "the (object|thing|figure) (here |)(has|is) (what|which) (shape|form)",
        "what (is|would be) the (name|word) (of|for) (this|that|the) (shape|figure|form)",
    ),
    "count": (
        "how many {shapes} (are there|do you see|can you see|are in the PICTURE|can you count|did i draw)",
        "count the {shapes}(| please| in the PICTURE| for me)",
        "how many {shapes}",
        "(what is|tell me) the number of {shapes}",
        "number of {shapes}",
        "how many {shapes} does (the|this) PICTURE (have|show|contain)",
        "(can|could) you count the {shapes}",
        "(i see some|there are some) {shapes}, how many (are there|are they)",
        "how often do you see a {shape}",
        "are there many {shapes}",
        "is there more than one {shape}",
        "and how many {shapes}",
        "tell me how many {shapes} (there are|you see|are there)",
        "{shapes}: how many",
        "do you know how many {shapes} (there are|i drew)",
        (
            "MANY {shapes}(| are here| are there| do i see| do you find| can you find| did you find| in it| "
            "in all| in total)"
        ),
        (
            "(the |)(count|number|amount|total|quantity|sum) of (the |all |){shapes}(| here| please| in it| "
            "in this PICTURE)"
        ),
        (
            "(give me|tell me|say|name|i need|i want) the (number|amount|total|quantity) of {shapes}(| here| "
            "please| in it| in the PICTURE)"
        ),
        (
            "(i wonder|i want to see|let me know|say|i need to know) how many {shapes} (there are|are there|"
            "you see|it has|are in it|it shows)"
        ),
        "{shapes}, (how many|what number|the number|how many do you see|how many are there|how many in all)",
        "how many {shapes} (has|are on|are in|does one see in|can one find in) (it|the PICTURE|this PICTURE)",
        "(one|two|three) {shapes} or more",
        "how many (times|pieces) (do you see|is there) (a|the) {shape}",
        "{shapes} count",
        "is there (just |only |)one {shape} or (more|several|two|many)",
        "(any more than one {shape}|more than one {shape})",
    ),
    "count_all": (
        "how many (shapes|things|objects|figures) (are there|do you see|can you see|are in the PICTURE|did i draw)",
        "count the (shapes|things|objects|figures)(| please| in the PICTURE)",
        "how many (shapes|things|objects)",
        "how many are there(| in the PICTURE)",
        "how many do you (see|count)",
        "(and |)how many (are (there|they|these|those)|of them(| are there| do you see)|are there in all)",
        "(and |)how many(| of them| in all| altogether)",
        "are (they|there) (several|many|more than one|two)",
        "(what is|tell me) the number of (shapes|things|objects|figures)",
        "number of (shapes|objects|things)",
        "(can|could) you count (the shapes|the objects|them|everything)",
        "tell me how many (shapes|things|objects) (there are|you see)",
        "is there (only |)one (shape|thing|object) or (more|several|many)",
        "count (them|everything|all of it)",
        "how many (shapes|things|objects) does (the|this) PICTURE (have|show|contain)",
        "MANY (shapes|things|objects|figures)(| are here| are there| do you find| in it| in all| in total)",
        (
            "(the |)(count|number|amount|total|quantity) of (the |all |)(shapes|things|objects|figures)(| "
            "here| please| in it)"
        ),
        "(shapes|things|objects|figures), (how many|what number|the number|how many do you see)",
        "more than one (shape|thing|object)",
    ),
    "where": (
        "where is the {shape}(| in the PICTURE| on the PICTURE)",
        "where (do|can) you see (the|a) {shape}",
        "in which (part|corner|place|area)(| of the PICTURE) is the {shape}",
        "(is the {shape} on the left or on the right|is the {shape} left or right)",
        "is the {shape} at the top or (at |)the bottom",
        "what is the (position|place|location) of the {shape}",
        "position of the {shape}",
        "find the {shape}",
        "show me where the {shape} is",
        "tell me where the {shape} is",
        "where exactly is the {shape}",
        "(which|on which) side is the {shape}(| on)",
        "on (what|which) side of the PICTURE is the {shape}",
        "can you (find|locate|see where|tell where) the {shape}(| is)",
        "and where is the {shape}",
        "the {shape} is where",
        "where did i (put|draw|place) the {shape}",
        "do you know where the {shape} is",
        (
            "where (is|was|can i see|do i find|do i see|can i find|should i look for|did you find) (the|this|"
            "that|a) {shape}(| here| in it| in this PICTURE| in the PICTURE| please)"
        ),
        (
            "whereabouts (was|do i find|do i see|can i find|do you see|lies) (the|this|that|a) {shape}(| here|"
            " in it| please)"
        ),
        "whereabouts is (this|that|a) {shape}",
        "(at|in) which spot (do you see|lies|is) (the|a|that) {shape}",
        "(the |)(place|position|location|side|corner|spot|whereabouts) of the {shape}(| please| here)",
        "(tell me|give me|name|say|i need) the (place|position|location|side|corner|spot) of the {shape}",
        (
            "(at|in|on) (what|which) (place|position|location|side|corner|area|part|end)(| of it| of the "
            "PICTURE) (is|do you see|lies) the {shape}"
        ),
        "(what|which) (place|position|corner|side|area|part) (has|holds|is for) the {shape}",
        "where (is|was) the {shape} (placed|put|drawn|located|positioned|found|sitting|lying)",
        "{shape}, where(| is it| exactly| do you see it)",
        "(where|and where|so where) (lies|sits|stands) the {shape}",
        "(locate|look for|point to|search) the {shape}(| for me| please)",
        "i (can not|do not) (find|see) the {shape}, where is it",
        "i (want|need|would like) to know where (the|that) {shape} (is|lies|sits|was drawn)",
        (
            "is the {shape} (left, right or in the middle|high or low|on top or below|up or down|in a corner|"
            "in the middle or at a side)"
        ),
        "{shape} (position|location|where|place)",
        "(can|could) you (say|show me|point out|find out) where (the|that) {shape} (is|lies|sits)",
        "(on|to) which side (do you see|is|lies) the {shape}",
    ),
    "exists": (
        "is there {a_shape}(| here| in the PICTURE| in it| on it)",
        "do you see {a_shape}(| here| in the PICTURE)",
        "can you see (a|any) {shape}",
        "are there any {shapes}(| in the PICTURE| here)",
        "is this {a_shape}",
        "is it {a_shape}",
        "does the PICTURE (have|show|contain) {a_shape}",
        "can you find {a_shape}",
        "did i draw {a_shape}",
        "any {shapes}(| here| in it)",
        "i think there is {a_shape}, (right|true|do you see it|is that true)",
        "that is {a_shape}, (right|correct|is it not|or not)",
        "have i drawn {a_shape}",
        "and is there {a_shape}(| too)",
    ),
    "exists_colour": (
        "is there (something|anything) {colour}(| here| in the PICTURE| in it)",
        "do you see (something|anything) {colour}",
        "is (something|anything|any shape) {colour}(| in the PICTURE)",
        "is it {colour}",
        "is the (shape|thing|object) {colour}",
        "are there any {colour} (shapes|things|objects)",
        "does the PICTURE (have|show|contain) (something|anything) {colour}",
        "anything {colour}(| here| in it)",
        "can you find (something|anything) {colour}",
        "is there a {colour} (shape|thing|object)",
        "(any|some) {colour} (shape|thing|object)(| here| in it)",
        "did i (draw|use|paint) (something|anything) {colour}",
        "i think (something|one shape) is {colour}, (right|true|is that so)",
    ),
    "where_it": (
        "where is (it|that|this)(| then| exactly| in the PICTURE| on the PICTURE)",
        "(and |so |ok |)where (is it|exactly is it|exactly|do you see it|is that|was it|does it sit|can i see it)",
        "(and |)(its|the) (place|position|location|spot)(| please)",
        "where(| please| is the thing| is the shape| is that thing)",
        "is it (left or right|on the left or on the right|at the top or at the bottom|up or down|in a corner)",
        "is it (on the left|on the right|at the top|at the bottom|in the middle or where|more left or more right)",
        "(in|on|at) (which|what) (corner|part|side|place|end)(| of the PICTURE)( is it| is that| do you see it|)",
        "(what|which) (corner|side|part|place)( is it in| is it on| is it| does it have|)",
        "(tell|show) me where( it is| that is| you see it|)",
        "(can|could) you (tell|say|see) where it is",
        "(and |)whereabouts(| is it| exactly)",
        "(do you know|you know|any idea) where it is",
    ),
    "colour_it": (
        "what HUE is (it|that|this one)",
        "(and |so |ok |)(what|which) HUE(| is it| is that| does it have| has it)",
        "(and |)(its|the|what about the|how about the) HUE(| of it| please)",
        "is it (red or blue|green or yellow|black or white|red|blue|green|dark or light in colour)",
        "(what|which) one is the HUE(| of it)",
        "(tell|give) me (its|the) HUE",
        "(and |)in (what|which) HUE(| is it| is that| is it drawn| is it painted)",
        "how is it (painted|filled)( in|)",
        "(can|could) you (tell|say|see) (its HUE|the HUE|what HUE it is|which HUE it has)",
        "(do you know|any idea) (what|which) HUE it (is|has)",
    ),
    "shape_it": (
        "(and |so |)(its|the|what about the|how about the|what about its) (shape|form|figure|outline)(| please)",
        "(and |)what (shape|form|figure)(| is it| is that| does it have| has it)",
        "(and |)which (shape|form|figure)(| is it| is that| does it have| has it)",
        "is it (round|square|a circle|a star|a triangle|a heart or a star|round or square)( or what|)",
        "what is it( called| exactly| then|)",
        "what (sort|kind|type) of (thing|shape|figure) (is it|is that)",
        "(tell|give) me (its|the) (shape|form)",
        "has it (corners|a name|a point|round edges)",
        "how does it look",
        "(can|could) you (tell|say|see) (its shape|what shape it is|which form it has)",
    ),
    "size": (
        "is the (shape|figure|thing|object) (big|large|small|tiny|big or small|large or small)",
        "how (big|large|small) is the (shape|figure|thing|object)(| here| in the PICTURE)",
        "what (size|is the size)(| of it| of the shape| of the thing| does it have)",
        "(the |)size (of the (shape|thing|figure)|please|of it)",
        "(tell me|name|say) the size(| of the shape| of it| of the thing)",
        "is there a (big|large|small|tiny) (shape|figure|thing)",
        "does the (shape|figure|thing) (fill|take up) (much|most) of the PICTURE",
        "would you call the (shape|thing|figure) (big|small|large|tiny)",
        "(big|large) or (small|little)",
        "is this (shape|figure|thing) (big|small|large|tiny)(| or not)",
    ),
    "size_it": (
        "is it (big|large|small|tiny|huge|little|very big|very small|big or small|large or small)(| in the PICTURE)",
        "(and |so |)how (big|large|small) (is it|is that|does it look)(| in the PICTURE| then)",
        "(and |)(its|the|what about the|how about the|what about its) size(| please)",
        "(and |)(what|which) size(| is it| has it| does it have)",
        "(is it|it is) (more |rather |quite |)(big|large) or (more |rather |quite |)(small|little|tiny)",
        "does it (fill|take up|cover) (much|most|a lot) of (it|the PICTURE|the space)",
        "would you (call|say) it (is |)(big|small|large)",
        "(tell|give) me (its|the) size(| then)",
        "(big|small|large)(| then)",
        "(can|could) you (tell|say|see) (its size|how big it is|if it is big)",
    ),
    "light": (
        "is (it|this|the PICTURE|this PICTURE) (light or dark|bright or dark|dark or light|dark or bright)",
        "is (it|the PICTURE|this PICTURE|this) (rather |very ||quite |too )(dark|bright|light)",
        "how (dark|bright|light) is (it|this|the PICTURE|this PICTURE)",
        "(light or dark|bright or dark|dark or bright|dark or light)",
        "what about the brightness",
        "how is the (brightness|light)(| in the PICTURE| of the PICTURE)",
        "tell me (whether|if) (it|this|the PICTURE) is (light or dark|bright or dark|dark|bright)",
        "brightness",
        "would you (say|call) (it|this|the PICTURE) (is |)(dark|bright|light)",
        "what is the brightness (like|of it|of this PICTURE|of the PICTURE)",
        "is (it|this) a (dark|bright|light) PICTURE",
        "do you (find|think) (it|the PICTURE) (is |)(dark|bright)",
        "is the PICTURE more (dark than light|light than dark|bright than dark)",
        "can you tell (if|whether) it is (dark|bright|light)",
        "does (it|the PICTURE) look (dark|bright|light)",
        "is there (much|a lot of|enough) light in (it|the PICTURE)",
        "is there (more|less) (light|dark) in (it|this|the PICTURE)",
        "(how|is) the (lighting|light)(| here| of it)(| dark| bright)",
        "(more |rather |)(light|bright) or (more |rather |)dark",
        "i (want|need) to know (whether|if) (it|this|the PICTURE) is (dark|bright|light)(| or not)",
    ),
    "background": (
        "what is the background(| like| colour| color)",
        "what (colour|color) is the background",
        "which (colour|color) (is|has) the background",
        "(describe|name) the background(| please| of the PICTURE)",
        "background (colour|color)",
        "what is (behind it|in the background|behind the shape)",
        "and the background(| colour| color)",
        "tell me the (colour|color) of the background",
        "what (colour|color) is (behind it|behind the shape)",
        "what (kind|sort) of background (is it|does it have|is there)",
        "is the background (white or black|light or dark|dark|white|black|coloured)",
        "on what background is it",
        "how does the background look",
        "what background (do you see|does it have|is it|has it)",
        "the background of the PICTURE",
        "which background did i (use|choose|paint)",
        "(what|which) HUE (is|has) the (background|backdrop|ground)",
        "(the |)(background|backdrop) (HUE|is what HUE|has which HUE)",
        "(name|tell me|say) the HUE (behind it|behind the (shape|figure|thing)|of the backdrop)",
        "(what|which) HUE (is|do you see|lies) behind (it|the shape|the figure|the thing|that)",
    ),
    "place": (
        "what is (on|at|to|in) the {place}(| of the PICTURE| side| part| here)",
        "what do you see (on|at|in) the {place}",
        "what is {place}",
        "is there (something|anything) (on|at|in) the {place}",
        "(on|at|in) the {place}",
        "which shape is (on|at|in) the {place}",
        "tell me what is (on|at|in) the {place}",
        "and (on|at|in) the {place}(| what is there)",
        "describe the {place}(| part| side)(| of the PICTURE)",
        "look (at|to) the {place}, what is there",
        "what can you find (on|at|in) the {place}",
        "what did i draw (on|at|in) the {place}",
        "{place}: what is there",
    ),
    "photo": (
        "is (it|this|that) a (photo|real photo|photograph|photo or a drawing|drawing or a photo)",
        "(photo or drawing|drawing or photo|is it real|is it drawn)",
        "is this (real|a real picture|painted|drawn|a drawing)",
        "was (this|it) (taken with a camera|drawn|photographed|painted|drawn by hand)",
        "is (this|it) (from a camera|a photograph or a painting|a picture of something real)",
        "do you think (it|this) is a (photo|photograph|real photo)",
        "what kind of (picture|image) is (it|this)",
        "what (type|sort) of (picture|image) is (it|this)",
        "does (it|this) look like a (photo|photograph)",
        "tell me (whether|if) (it|this) is a photo",
        "a photo or (a drawing|something drawn|a graphic)",
        "is the (image|picture) a (photo|photograph)",
        "could (it|this) be a (photo|photograph)",
        "did (someone|somebody|i) (photograph|take|draw) this",
    ),
    "beyond": (
        "is there a {thing}(| here| in the PICTURE| in it)",
        "do you see a {thing}",
        "(who|what {thing}) is (this|it|that)",
        "what (kind|sort|breed) of {thing} is (this|it)",
        "is (this|it) a {thing}",
        "can you (see|find|recognise) (a|the) {thing}",
        "where is the {thing}",
        "how many (people|{thing}s) are there",
        "does (it|the PICTURE) show a {thing}",
        "what does the {thing} look like",
        "where was this (PICTURE |)(taken|made)",
        "(which|what) (city|country|place) is (this|it)",
    ),
    "read": (
        "what does (it|the text|the PICTURE) say",
        "(can|could) you read (it|the text|this|that|this PICTURE|the words)",
        "read (it|the text|this|the PICTURE)(| to me| for me| aloud)",
        "what is written (there|here|on it|in the PICTURE)",
        "what is the (text|word|name|headline) (here|in the PICTURE|on it)",
        "is there (any |some |)text(| in it| in the PICTURE)",
        "do you see (any |)(text|words|letters)",
        "(translate|copy|type) the text(| in the PICTURE| for me)",
        "which (words|letters|numbers) do you see",
    ),
    "compare_same": (
        "is (it|this) the same (PICTURE|one)(| as before| again| as the first)",
        "are (they|these|both|the two|both PICTUREs|these two PICTUREs) (the same|equal|identical|alike)",
        "same (PICTURE|one|as before|or different)",
        "(do they|do the two PICTUREs|do both) (differ|look the same|show the same)",
        "is there (a|any) difference(| between them| between the two| between the PICTUREs)",
        "(are|is) (they|it|these) (different|another one)",
        "did i send the same (PICTURE|one) (twice|again)",
        "is (this|that) (another|a different|a new) PICTURE",
        "have you seen this PICTURE before",
        "does (it|this) show the same(| as before| thing)",
        (
            "(are|were) (the two|both|these two|they|those) (PICTUREs|of them|) (really |just ||quite )(the "
            "same|equal|identical|alike|twins|copies)"
        ),
        (
            "is (this one|it|the second|the second one|the new one) (identical|equal|the same|a copy)(| to "
            "the first| as the first| of the first| as the other)"
        ),
        "(identical|equal|the same) (or not|PICTUREs|or different)",
        "(do|can) you see (a|any) difference(| between the PICTUREs| between them)",
        "is (the second|this) (PICTURE |one |)(just |)(a copy|the first one again|like the first|like the one before)",
    ),
    "compare_changed": (
        "what (has |)changed(| here| now| between them| from the first to the second)",
        "what is (different|new|the difference)(| now| here| between them| between the two| in this one)",
        "(compare|please compare) (them|the two|both|the PICTUREs|these PICTUREs|the two PICTUREs|it with the first)",
        "find the difference(|s)",
        "how (do they|do the PICTUREs|does it) differ(| from the first)",
        "tell me (the difference|what changed|what is different|how they differ)",
        "which difference(|s) do you see",
        "what did i change(| here| in the second one)",
        "difference",
        "and now, what (is different|has changed)",
        "spot the difference",
        "in what way (are they different|do they differ)",
        (
            "(what|which thing|which part) (is|has become|got) (other|different|changed|new)(| than before| "
            "than in the first| in the second)"
        ),
        (
            "(tell me|say|name|show me|describe|list) (the |every |)(change|difference|changes|differences)(| "
            "between (the two|them|both|the PICTUREs)| from the first to the second)"
        ),
        (
            "what (happened|changed|was changed|did i alter|was altered|did they change)(| between the two| "
            "from one to the other| in the second| to the PICTURE)"
        ),
        (
            "(how|in what) (is|are) (the second|this one|they|the two|these) (different|not the same|not "
            "equal)(| from the first)"
        ),
        "(the |)(change|differences|changes)(| please| between them)",
        "what (makes|made) (them|the two|these) (different|differ)",
        "where (is|do you see) (the|a) (difference|change)",
    ),
    "compare_darker": (
        "which (one|PICTURE|of them|of the two|of the PICTUREs) is darker",
        "which is (the |)darker(| one| PICTURE)",
        "(the first or the second: |)which one is (more dark|the darkest|darkest|less bright)",
        "is the (first|second) (one |PICTURE |)darker(| than the other)",
        "what PICTURE is darker",
        "tell me which (one|PICTURE) is darker",
        "darker one",
        "(is it|is this one) darker(| than before| than the first| now)",
        "do you know which (one|PICTURE) is darker",
        (
            "(of the two|of them|of both|of these|among them), which (one |PICTURE |)is (the |)(darker|dimmer|"
            "gloomier|more dark)(| one)"
        ),
        (
            "which (one|PICTURE|of them|of the two|of both) (is (darker|dimmer|gloomier|more dark)|has less "
            "light|shows less light|has the least light|is the (darker|dimmer|gloomier|more dark) one)"
        ),
        "the (darker|dimmer|gloomier|more dark) (one|PICTURE), (which is it|which one|first or second|is it this one)",
        (
            "(first|the first one|this one|number one) or (second|the second one|the other|number two): which "
            "is (darker|dimmer|gloomier|more dark)"
        ),
        "(where|in which|in which PICTURE) is (it (darker|dimmer|gloomier|more dark)|there less light)",
        "(tell me|say|name|pick|choose|find) the (darker|dimmer|gloomier|more dark) (one|PICTURE|of them|of the two)",
    ),
    "compare_brighter": (
        "which (one|PICTURE|of them|of the two|of the PICTUREs) is (brighter|lighter)",
        "which is (the |)(brighter|lighter)(| one| PICTURE)",
        "(the first or the second: |)which one is (the brightest|brightest|less dark|the lightest)",
        "is the (first|second) (one |PICTURE |)(brighter|lighter)(| than the other)",
        "what PICTURE is (brighter|lighter)",
        "tell me which (one|PICTURE) is (brighter|lighter)",
        "(brighter|lighter) one",
        "(is it|is this one) (brighter|lighter)(| than before| than the first| now)",
        "do you know which (one|PICTURE) is (brighter|lighter)",
        (
            "(of the two|of them|of both|of these|among them), which (one |PICTURE |)is (the |)(brighter|"
            "lighter|more bright|more light)(| one)"
        ),
        (
            "which (one|PICTURE|of them|of the two|of both) (is (brighter|lighter|more bright|more light)|has "
            "more light|shows more light|has the most light|is the (brighter|lighter|more bright|more light) "
            "one)"
        ),
        (
            "the (brighter|lighter|more bright|more light) (one|PICTURE), (which is it|which one|first or "
            "second|is it this one)"
        ),
        (
            "(first|the first one|this one|number one) or (second|the second one|the other|number two): which "
            "is (brighter|lighter|more bright|more light)"
        ),
        "(where|in which|in which PICTURE) is (it (brighter|lighter|more bright|more light)|there more light)",
        (
            "(tell me|say|name|pick|choose|find) the (brighter|lighter|more bright|more light) (one|PICTURE|"
            "of them|of the two)"
        ),
    ),
    "missing": (
        (
            "(what|which things|what things) (is|are|do you see|can you see|is shown|can be seen) (in|on) (my|"
            "the|this) PICTURE"
        ),
        (
            "(how many|count the|number of|the number of) {shapes} (are |do you see |you see |can you see |"
            ")(in|on) (my|the|this) PICTURE"
        ),
        "(how many|count the) (shapes|things|objects|figures) (in|on) (my|the|this) PICTURE",
        "(where|whereabouts) (is|do you see|can you see) (the|a) {shape} (in|on) (my|the|this) PICTURE",
        "(in|on) (my|the|this) PICTURE, where (is|do you see) the {shape}",
        "(what|which) HUE (is|has) the (shape|{shape}|thing|object) (in|on) (my|the|this) PICTURE",
        "(what|which) (shape|figure|form) (is|do you see|did i draw|can you see) (in|on) (my|the|this) PICTURE",
        "(is|do you think) (my|the|this) PICTURE (is |)(light or dark|bright or dark|dark|bright|light)",
        "(what|which) (background|background HUE) (has|is in|does) (my|the|this) PICTURE(| have)",
        (
            "(i|we) (sent|dropped|gave you|attached|added|shared|pasted|just sent) (a|my|the|one) PICTURE, "
            "(what is it|what do you see|describe it|tell me about it|look at it)"
        ),
        (
            "(look|take a look|have a good look) at (my|the|this) (PICTURE|painting|sketch), (what is it|what "
            "do you see|what is in it|tell me what it is)"
        ),
        (
            "(describe|explain|look at|read|name the shape in|tell me about|say what is in) (my|the|this) "
            "(PICTURE|painting|sketch)(| please| for me| i sent| i made)"
        ),
        "is there {a_shape} (in|on) (my|the|this) PICTURE",
        "do you (like|see|know|recognise) (my|the|this) (PICTURE|painting|sketch)",
        "what (colours|colors|shapes|figures) (are|do you see|can you see) (in|on) (my|the|this) PICTURE",
        "(tell me|say|please say) (what|which things) (is|are|you see) (in|on) (my|the|this) PICTURE",
    ),
    "ability": (
        "can you (see|look at|understand|describe|read) (pictures|images|photos|screenshots)",
        "do you (see|understand) (pictures|images|photos)",
        "(may|can) i (show|send|give) you (a|my) (PICTURE|PICTURE of mine)",
        "i (want|would like) to (show|send) you a PICTURE",
        "i will (show|send) you a PICTURE(| now| in a moment)",
        "are you able to (see|look at) (pictures|images|photos|a PICTURE)",
        "can i ask (you |)(something |)about a PICTURE",
        "wait, i (will|have to) (send|find|drop) a PICTURE(| first)",
        "i have a PICTURE(| for you)",
        "do you want to see a PICTURE",
    ),
}
"""Training wordings by topic; PICTURE, HUE and MANY are one of several words, {shape} and the like are filled in."""

MISSING = "missing"
"""Topic of what only people ask who believe that they have sent a picture."""
NEED_PICTURE = (
    "describe", "colour", "shape", "count", "where", "light", "background", "photo", "place", "count_all", "colour_of",
    "exists", "exists_colour",
)  # fmt: skip
"""Topics that people also ask when they have forgotten the picture."""

HELD_OUT: dict[str, tuple[str, ...]] = {
    "colour": (
        "hi, what color would you say that is?",
        "i cant make out the colour, can you",
        "what hue does the shape have?",
        "tell me what colour this thing here is",
        "Which colour was used here?",
        "how is it coloured",
    ),
    "shape": (
        "what geometric figure do we have here?",
        "whats that shape called",
        "Is it a star, a circle, or some other shape?",
        "i would like to know which shape that is",
        "what would you call this figure",
        "the thing in the picture has what shape?",
    ),
    "count": (
        "how many {shapes} have you found?",
        "please give me the count of {shapes}",
        "{shapes}, how many of them are visible",
        "I want to know how many {shapes} this picture has.",
        "whats the total of {shapes} here",
    ),
    "where": (
        "whereabouts is the {shape}?",
        "where would i find the {shape} in this image",
        "can you tell me the place where the {shape} is",
        "Where is that {shape} located?",
        "at what spot is the {shape}",
    ),
    "light": (
        "would you call that a bright image or a dark one?",
        "does this one look more dark or more bright",
        "hows the lighting, bright or dark?",
        "I wonder if this is dark or light",
    ),
    "background": (
        "what colour did they use for the background?",
        "tell me which background colour you see",
        "the backdrop, what colour is it",
        "whats behind the shape, which colour",
    ),
    "describe": (
        "so what can be seen on this photo?",
        "please tell me about what is in this image",
        "What do we have on this picture?",
        "could you give me a description of what this shows",
    ),
    "photo_colour": (
        "which colours dominate this photo?",
        "what are the main colours here",
        "Can you list the colours of this image?",
        "how is this photo coloured",
    ),
    "compare_same": (
        "are the two images exactly the same?",
        "is that one identical to the first",
    ),
    "compare_changed": (
        "what is no longer the same?",
        "whats the change from picture one to picture two",
        "Where do these two images differ?",
    ),
    "compare_darker": (
        "of the two images, which has less light?",
        "the darker one, is it the first or the second",
    ),
    "compare_brighter": (
        "of those two, which image is the brighter?",
        "the brighter one, is it the first or the second",
    ),
    "none": (
        "so what can you see in my photo?",
        "whats shown in this image",
        "Could you tell me the colour of the shape in my picture?",
        "what shape have i drawn in the picture",
        "how many stars can be seen in the photo?",
        "where in the picture would i find the circle",
        "is my image bright or is it dark?",
        "i uploaded an image, please describe",
        "what's the background colour of my picture?",
        "Have a look at this drawing, what is it?",
    ),
}
"""Wordings for the evaluation alone, by topic."""


def ask(rng: random.Random, topic: str, slots: Mapping[str, str] | None = None) -> str:
    """A question for training, as somebody might type it; never one of HELD_OUT."""
    blanks = {
        "shape": "shape",
        "shapes": "shapes",
        "a_shape": "a shape",
        "colour": "red",
        "place": "left",
        "thing": "person",
    }
    blanks |= slots or {}
    while True:
        text = vary(rng.choice(_choices(topic)).draw(rng).format_map(blanks), rng)
        if text and plain(text) not in _kept_out():
            return text


def can_be_asked(topic: str, text: str) -> bool:
    """Whether the training wordings of a topic, unvaried, hold this text; blanks stand as they are."""
    return _matcher(topic)(text)


def ask_held_out(rng: random.Random, topic: str, slots: Mapping[str, str] | None = None) -> str:
    return rng.choice(HELD_OUT[topic]).format_map(slots or {})


@cache
def _choices(topic: str) -> tuple[Choice, ...]:
    return tuple(parse(line) for line in _lines(topic))


@cache
def _matcher(topic: str) -> Callable[[str], bool]:
    return matcher(_lines(topic))


def _lines(topic: str) -> tuple[str, ...]:
    return tuple(line.replace("PICTURE", _PICTURE).replace("HUE", _HUE).replace("MANY", _MANY) for line in ASK[topic])


@cache
def _kept_out() -> frozenset[str]:
    return frozenset(plain(line) for lines in HELD_OUT.values() for line in lines)
