/** API keys and first steps of a signed-in builder. Separate from the account to keep the dashboard small. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { KeyName, KeyScope, KeyScopes } from "../../domain/ApiKey.ts"
import { described } from "../../domain/Described.ts"
import * as LimitedArray from "../../domain/LimitedArray.ts"
import { Milestones } from "../../domain/Milestones.ts"
import { InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { CountedIn, RateLimited, Validated } from "../shared/Middleware.ts"
import { ApiKeyView, NewApiKey, Ok } from "./AccountSchemas.ts"
import { InvalidRequest, KeyLimit } from "./Errors.ts"
import * as Docs from "./KeysDocs.ts"
import { DetailedBody, SameSiteOnly, SessionOnly } from "./Middleware.ts"

const NAME = "Name by which people tell keys apart."
const SCOPES = "Permissions of the key. `quote` attributes quotes, `read` reads the builder's own data."

const RequestedScopes = LimitedArray.lengthFirst(
  KeyScopes.check(
    // Documents state it as `uniqueItems`.
    Schema.isMaxLength(KeyScope.literals.length, { message: "expected each scope once", toJsonSchema: () => ({}) })
  )
)

export const KeyRequest = Schema.Struct({
  name: described(KeyName, NAME),
  scopes: described(RequestedScopes, SCOPES)
}).annotate({ identifier: "KeyRequest" })

export const KeyView = Schema.Struct({
  id: described(Schema.String, "Identifier of the key. `default` is the key that rotation replaces."),
  name: described(Schema.String, NAME),
  scopes: described(Schema.Array(KeyScope), SCOPES),
  ...ApiKeyView.fields
}).annotate({ identifier: "NamedKey" })

export const KeysView = Schema.Struct({
  keys: described(Schema.Array(KeyView), "Keys that are not revoked: the default one first, then the oldest.")
}).annotate({ identifier: "NamedKeys" })

export const NewKeyView = Schema.Struct({
  key: described(KeyView, "The new key."),
  ...NewApiKey.fields
}).annotate({ identifier: "NewNamedKey" })

const failures = [Unavailable, InternalError] as const

export const MyKeys = HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.get("list", "/me/apikeys", { success: KeysView, error: failures }).annotateMerge(Docs.list),
    HttpApiEndpoint.post("create", "/me/apikeys", {
      payload: KeyRequest,
      success: NewKeyView.pipe(HttpApiSchema.status(201)),
      error: [KeyLimit, InvalidRequest, ...failures]
    })
      .middleware(DetailedBody)
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.create),
    HttpApiEndpoint.delete("revoke", "/me/apikeys/:id", {
      params: { id: described(Schema.String, "Identifier of the key.") },
      success: Ok,
      error: [NotFound, ...failures]
    })
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.revoke),
    HttpApiEndpoint.get("milestones", "/me/milestones", { success: Milestones, error: failures }).annotateMerge(
      Docs.milestones
    )
  )
  .middleware(Validated)
  .middleware(SessionOnly)
  .middleware(RateLimited)
  .annotate(CountedIn, "builder")
  .annotateMerge(OpenApi.annotations({ description: "A signed-in builder's API keys and first steps." }))
