/** Statuses and error bodies of each route of the orchestrator. `undefined` for a body that differs. */
export const ROUTES = {
  "post /quote": {
    "403": ["request blocked by sanctions screening"],
    "409": ["idempotency key was used with another request", "a request with this idempotency key is in progress"],
    "413": ["request body too large"],
    "422": ["internal error", "invalid JSON body", undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error", "chain unavailable"]
  },
  "post /quotes": {
    "403": ["request blocked by sanctions screening"],
    "409": ["idempotency key was used with another request", "a request with this idempotency key is in progress"],
    "413": ["request body too large"],
    "422": ["invalid JSON body", undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "post /intents": {
    "400": ["internal error"],
    "409": ["idempotency key was used with another request", "a request with this idempotency key is in progress"],
    "413": ["request body too large"],
    "422": ["invalid JSON body", undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "post /sweeps": {
    "400": [
      "unknown_quote",
      "expired_quote",
      "already_submitted",
      "different_owners",
      "outdated_contracts",
      "screening_blocked",
      "wrong_authorization_chain",
      "wrong_delegate",
      "missing_authorization",
      "no_set_code_support",
      "chain_paused",
      "bad_signature",
      "bad_authorization"
    ],
    "409": ["idempotency key was used with another request", "a request with this idempotency key is in progress"],
    "413": ["request body too large"],
    "422": ["invalid JSON body", undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["budget_spent", "busy", "chain_unavailable", "internal error", "screening_unavailable"]
  },
  "get /sweeps/{id}": {
    "404": ["not found"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /sweeps/{id}/events": {
    "404": ["not found"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /owners/{owner}/sweeps": {
    "422": [undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /intents/{id}": {
    "404": ["not found"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /intents/{id}/events": {
    "404": ["not found"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /portfolio/{owner}": {
    "422": [undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "502": ["internal error"],
    "503": ["internal error"]
  },
  "get /portfolio/{owner}/sweepable": {
    "422": [undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "502": ["internal error"],
    "503": ["internal error"]
  },
  "get /prices": {
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "502": ["internal error"],
    "503": ["internal error"]
  },
  "get /chains": { "500": ["internal error"] },
  "get /tokens": { "404": ["not found"], "422": [undefined], "500": ["internal error"] },
  "post /watch/tick": {
    "401": ["unauthorized"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /admin/health": { "401": ["unauthorized"], "429": ["rate limit exceeded"], "500": ["internal error"] },
  "get /admin/alerts": {
    "401": ["unauthorized"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /admin/find": {
    "401": ["unauthorized"],
    "422": [undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /admin/intents/{id}": {
    "401": ["unauthorized"],
    "404": ["not found"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /admin/exposure": {
    "401": ["unauthorized"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /admin/lanes": {
    "401": ["unauthorized"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "post /admin/lanes/{address}/state": {
    "401": ["unauthorized"],
    "404": ["not found"],
    "409": ["lane_not_changed"],
    "413": ["request body too large"],
    "422": ["invalid JSON body", undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "post /admin/lanes/{address}/rest": {
    "401": ["unauthorized"],
    "404": ["not found"],
    "409": ["lane_not_changed"],
    "413": ["request body too large"],
    "422": ["invalid JSON body", undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error", "chain unavailable"]
  },
  "get /admin/pauses": {
    "401": ["unauthorized"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "post /admin/pauses": {
    "401": ["unauthorized"],
    "404": ["not found"],
    "413": ["request body too large"],
    "422": ["invalid JSON body", undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /admin/limits": {
    "401": ["unauthorized"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "post /admin/limits": {
    "401": ["unauthorized"],
    "404": ["not found"],
    "413": ["request body too large"],
    "422": ["invalid JSON body", undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /admin/rate-limits": {
    "401": ["unauthorized"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "post /admin/rate-limits": {
    "401": ["unauthorized"],
    "413": ["request body too large"],
    "422": ["invalid JSON body", undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /admin/endpoints": {
    "401": ["unauthorized"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "post /admin/endpoints": {
    "401": ["unauthorized"],
    "404": ["not found"],
    "409": ["endpoints_not_changed"],
    "413": ["request body too large"],
    "422": ["invalid JSON body", undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /admin/log": {
    "401": ["unauthorized"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /admin/money": {
    "401": ["unauthorized"],
    "422": [undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /admin/treasury": {
    "401": ["unauthorized"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /admin/treasury/plan": {
    "401": ["unauthorized"],
    "404": ["not found"],
    "409": ["treasury_not_configured"],
    "422": [undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error", "chain unavailable"]
  },
  "post /admin/treasury/sales": {
    "401": ["unauthorized"],
    "409": ["treasury_not_configured"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /admin/intents": {
    "401": ["unauthorized"],
    "422": [undefined],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "post /admin/intents/{id}/retry": {
    "401": ["unauthorized"],
    "404": ["not found"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "post /admin/outbox/{id}/close": {
    "401": ["unauthorized"],
    "404": ["not found"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "post /admin/alerts/{id}/close": {
    "401": ["unauthorized"],
    "404": ["not found"],
    "429": ["rate limit exceeded"],
    "500": ["internal error"],
    "503": ["internal error"]
  },
  "get /healthz": {},
  "get /readyz": { "500": ["internal error"], "503": ["not ready"] }
} as const
