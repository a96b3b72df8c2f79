/** Builders' webhooks: endpoints, secrets, test messages and replays. */
import { Clock, Context, Effect, Equal, Layer, Option, type Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  MAX_ENDPOINTS,
  ROTATION_MILLIS,
  SECRET_BYTES,
  secretOf,
  testMessage,
  type WebhookEventType
} from "../../domain/Webhook.ts"
import { AuditLog, BUILDER_ACTOR } from "../../ports/builder/AuditLog.ts"
import type { UnknownBuilder } from "../../ports/builder/Ledger.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { UnitOfWork } from "../../ports/builder/UnitOfWork.ts"
import {
  type Delivery,
  type EndpointPatch,
  type WebhookDisabled,
  type WebhookEndpoint,
  type WebhookLimit,
  type WebhookNotFound,
  Webhooks,
  type WebhookTestLimit,
  type WebhookTestPending
} from "../../ports/builder/Webhooks.ts"
import { type UnacceptableUrl, WebhookTransport } from "../../ports/builder/WebhookTransport.ts"
import * as OwnChanges from "../shared/OwnChanges.ts"

export interface NewEndpoint {
  readonly url: string
  readonly description?: string
  /** Event types to send. Default: all. */
  readonly events?: ReadonlyArray<WebhookEventType>
}

/** Details of a change of the URL. The rest of it may be long, or secret. */
const hostOf = (url: string) => ({ host: new URL(url).host })

/** True if a patch would change something. Enabling resets failures. */
export const isChange = (endpoint: WebhookEndpoint, { enabled, ...fields }: EndpointPatch): boolean => {
  const { description, disabled, events, failing, url } = endpoint
  const before = { description, events, url }
  if (!Equal.equals({ ...before, ...fields }, before)) return true
  if (enabled === undefined) return false
  return enabled ? disabled !== undefined || failing !== undefined : disabled === undefined
}

/** True if a patch disables an endpoint and names nothing else. */
const isDisabling = ({ enabled, ...fields }: EndpointPatch): boolean =>
  enabled === false && Object.values(fields).every((value) => value === undefined)

export interface WithSecret {
  readonly endpoint: WebhookEndpoint
  /** Returned once. */
  readonly secret: Redacted.Redacted
}

export class WebhookDesk extends Context.Service<
  WebhookDesk,
  {
    readonly create: (
      builderId: string,
      wanted: NewEndpoint
    ) => Effect.Effect<
      WithSecret,
      UnacceptableUrl | WebhookLimit | UnknownBuilder | OwnChanges.TooManyChanges | StoreUnavailable
    >
    /** Changes an endpoint. A patch without a change is not recorded. */
    readonly patch: (
      builderId: string,
      id: string,
      patch: EndpointPatch
    ) => Effect.Effect<
      WebhookEndpoint,
      UnacceptableUrl | WebhookNotFound | OwnChanges.TooManyChanges | StoreUnavailable
    >
    readonly remove: (builderId: string, id: string) => Effect.Effect<void, WebhookNotFound | StoreUnavailable>
    /** Gives an endpoint a new secret. For a day, messages are signed with the previous one as well. */
    readonly rotate: (
      builderId: string,
      id: string
    ) => Effect.Effect<WithSecret, WebhookNotFound | OwnChanges.TooManyChanges | StoreUnavailable>
    /** Sends an endpoint a test message, one at a time, and a limited number a day. */
    readonly test: (
      builderId: string,
      id: string
    ) => Effect.Effect<
      Delivery,
      WebhookNotFound | WebhookDisabled | WebhookTestPending | WebhookTestLimit | StoreUnavailable
    >
    readonly replay: (
      builderId: string,
      deliveryId: string
    ) => Effect.Effect<Delivery, WebhookNotFound | WebhookDisabled | StoreUnavailable>
  }
>()("sweep/builder/WebhookDesk") {
  static readonly layer = Layer.effect(
    WebhookDesk,
    Effect.gen(function* () {
      const audit = yield* AuditLog
      const check = yield* OwnChanges.make
      const random = yield* SecureRandom.SecureRandom
      const transport = yield* WebhookTransport
      const webhooks = yield* Webhooks
      const { atomically } = yield* UnitOfWork

      const newSecret = Effect.map(random.randomBytes(SECRET_BYTES), secretOf)

      const actorOf = (builderId: string) => `${BUILDER_ACTOR}${builderId}`

      const note = (
        builderId: string,
        action: string,
        subject: string,
        details: Readonly<Record<string, string>> = {}
      ) => audit.append({ actor: actorOf(builderId), action: `webhook.${action}`, subject, details })

      const keep = Effect.fnUntraced(function* (endpoint: WebhookEndpoint, secret: Redacted.Redacted) {
        yield* webhooks.create(endpoint, secret, MAX_ENDPOINTS)
        yield* note(endpoint.builderId, "create", endpoint.id, hostOf(endpoint.url))
      }, atomically)

      const create: WebhookDesk["Service"]["create"] = Effect.fn("WebhookDesk.create")(function* (builderId, wanted) {
        const { description = "", events = [], url } = wanted
        yield* check(actorOf(builderId))
        yield* transport.check(url)
        const id = `whk_${yield* random.uuidV4()}`
        const endpoint = { id, builderId, url, description, events, createdAtMs: yield* Clock.currentTimeMillis }
        const secret = yield* newSecret
        yield* keep(endpoint, secret)
        return { endpoint, secret }
      })

      const change = Effect.fnUntraced(function* (builderId: string, id: string, patch: EndpointPatch) {
        const before = yield* webhooks.find(builderId, id)
        if (Option.isSome(before)) {
          if (!isChange(before.value, patch)) return before.value
          if (!isDisabling(patch)) yield* check(actorOf(builderId))
        }
        const endpoint = yield* webhooks.modify(builderId, id, patch)
        const { enabled, url } = patch
        yield* note(builderId, "patch", id, {
          ...(url === undefined ? {} : hostOf(url)),
          ...(enabled === undefined ? {} : { enabled: String(enabled) })
        })
        return endpoint
      }, atomically)

      const patch: WebhookDesk["Service"]["patch"] = Effect.fn("WebhookDesk.patch")(function* (builderId, id, wanted) {
        if (wanted.url !== undefined) yield* transport.check(wanted.url)
        return yield* change(builderId, id, wanted)
      })

      const remove: WebhookDesk["Service"]["remove"] = Effect.fn("WebhookDesk.remove")(function* (builderId, id) {
        yield* webhooks.remove(builderId, id)
        yield* note(builderId, "remove", id)
      }, atomically)

      const rotate: WebhookDesk["Service"]["rotate"] = Effect.fn("WebhookDesk.rotate")(function* (builderId, id) {
        yield* check(actorOf(builderId), "rotation")
        const secret = yield* newSecret
        const until = (yield* Clock.currentTimeMillis) + ROTATION_MILLIS
        const endpoint = yield* webhooks.rotate(builderId, id, secret, until)
        yield* note(builderId, "rotate_secret", id)
        return { endpoint, secret }
      }, atomically)

      const test: WebhookDesk["Service"]["test"] = Effect.fn("WebhookDesk.test")(function* (builderId, id) {
        const message = testMessage(`test_${yield* random.uuidV4()}`, id, yield* Clock.currentTimeMillis)
        return yield* webhooks.send(builderId, id, message)
      })

      return WebhookDesk.of({
        create,
        patch,
        remove,
        rotate,
        test,
        replay: Effect.fn("WebhookDesk.replay")((builderId, deliveryId) => webhooks.replay(builderId, deliveryId))
      })
    })
  )
}
