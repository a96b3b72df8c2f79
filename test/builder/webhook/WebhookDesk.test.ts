import { assert, describe, it } from "@effect/vitest"
import { isChange } from "../../../src/builder/webhook/WebhookDesk.ts"
import type { EndpointPatch, WebhookEndpoint } from "../../../src/ports/builder/Webhooks.ts"

const endpoint: WebhookEndpoint = {
  id: "one",
  builderId: "alpha",
  url: "https://one.example.com/",
  description: "mine",
  events: ["sweep.failed"],
  createdAtMs: 0
}

const disabled: WebhookEndpoint = { ...endpoint, disabled: { reason: "paused", atMs: 1 } }
const failing: WebhookEndpoint = { ...endpoint, failing: { sinceMs: 1, lastMs: 2 } }

describe("a patch of a webhook", () => {
  it.each<readonly [string, WebhookEndpoint, EndpointPatch, boolean]>([
    ["that is empty", endpoint, {}, false],
    ["with the same fields", endpoint, { url: endpoint.url, description: "mine", events: ["sweep.failed"] }, false],
    ["with another URL", endpoint, { url: "https://two.example.com/" }, true],
    ["with another description", endpoint, { description: "" }, true],
    ["with other events", endpoint, { events: [] }, true],
    ["that enables an enabled one", endpoint, { enabled: true }, false],
    ["that disables an enabled one", endpoint, { enabled: false }, true],
    ["that enables a disabled one", disabled, { enabled: true }, true],
    ["that disables a disabled one", disabled, { enabled: false }, false],
    ["that resets the failures of one", failing, { enabled: true }, true],
    ["that leaves the failures of one", failing, { url: endpoint.url }, false]
  ])("%s", (_, before, patch, isExpected) => assert.strictEqual(isChange(before, patch), isExpected))
})
