"""What becomes of each law with a peer, found in the peers' environment: PEER, prints JSON."""

import json
import sys
from importlib.metadata import version

from peers import PEERS

from fairmend.testing import LAWS, examine


def main():
    """Examine."""
    peer = PEERS[sys.argv[1]]
    # The peers print on standard output while they work.
    out, sys.stdout = sys.stdout, sys.stderr
    results = [
        {
            "law": r.law.name,
            "outcome": r.outcome,
            "reason": r.reason,
            "version": version(peer.package),
        }
        for r in examine(peer, LAWS)
    ]
    out.write(json.dumps(results))


if __name__ == "__main__":
    main()
