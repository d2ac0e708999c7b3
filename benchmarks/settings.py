"""The settings a script made for its run; processes that it starts read them, too."""

import json
import os

globals().update(json.loads(os.environ["DOC_PRIORITY_BENCHMARK"]))
