"""Finds the next free haircut, holds it, books it and cancels it. Uses the standard library only."""

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid

API = os.environ.get("HOLDFAST_URL", "http://127.0.0.1:3000").rstrip("/") + "/api/v1"


class HoldfastError(Exception):
    """A refusal. `problem` is its document (RFC 9457), with a `code` such as `slot_held`."""

    def __init__(self, problem):
        super().__init__(f"{problem['code']}: {problem['detail']}")
        self.problem = problem


def call(token, method, path, body=None, query=None):
    """Returns the decoded answer, or None without one. Raises HoldfastError for a refusal."""
    url = API + path + ("?" + urllib.parse.urlencode(query) if query else "")
    headers = {"Authorization": f"Bearer {token}"}
    if body is not None:
        # the server performs a request with this key once, however often it is sent
        headers |= {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            text = response.read()
            return json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        with error:
            if error.headers.get_content_type() != "application/problem+json":
                raise
            raise HoldfastError(json.load(error)) from None


def main():
    """Books as a visitor, with a session. Cancels as the business, with its secret key."""
    publishable_key = os.environ["HOLDFAST_PUBLISHABLE_KEY"]
    business_key = os.environ["HOLDFAST_BUSINESS_KEY"]
    session = call(publishable_key, "POST", "/session")["session_token"]

    services = call(session, "GET", "/services")["data"]
    haircut = next(one for one in services if one["name"] == "Haircut")
    offer = {"service_id": haircut["id"], "location_id": haircut["location_ids"][0]}
    slot = call(session, "GET", "/availability/soonest", query=offer)
    if slot is None:
        sys.exit("Haircut has no free slot.")

    hold = call(session, "POST", "/bookings/hold", {**offer, "starts_at": slot["starts_at"]})
    print(f"Held: {hold['starts_at']}, until {hold['expires_at']}")

    client = {"first_name": "Hedy", "last_name": "Lamarr", "email": "hedy@example.com"}
    booking = call(session, "POST", "/bookings", {"hold_id": hold["hold_id"], "client": client})
    print(f"Booked: {booking['service']['name']} at {booking['starts_at']}, {booking['status']}")

    cancelled = call(business_key, "DELETE", f"/bookings/{booking['id']}")
    print(f"Cancelled: {cancelled['service']['name']} at {cancelled['starts_at']}, {cancelled['status']}")


try:
    main()
except HoldfastError as error:
    sys.exit(str(error))
except urllib.error.URLError as error:
    sys.exit(f"{API} cannot be reached: {error.reason}")
