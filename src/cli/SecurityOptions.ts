/** Whom to tell about a vulnerability, from the settings of the environment. */
import { Array, Effect, Option } from "effect"
import { security } from "../config/Security.ts"
import type { SecurityContact } from "../domain/SecurityText.ts"
import { UsageError } from "./UsageError.ts"

/** Contacts and policy. Fails if there is a policy without a contact, since the file must have one. */
export const securityContact = Effect.gen(function* () {
  const contacts = yield* security.securityContact.config
  const policyUrl = Option.getOrUndefined(yield* security.securityPolicyUrl.config)
  if (Array.isReadonlyArrayNonEmpty(contacts)) {
    const contact: SecurityContact = { contacts: [...contacts], policyUrl }
    return contact
  }
  if (policyUrl === undefined) return undefined
  return yield* new UsageError({
    detail: `${security.securityPolicyUrl.name} is set, but ${security.securityContact.name} is not. Set it to mailto: and an address`
  })
})
