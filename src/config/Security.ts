/** Settings of `/.well-known/security.txt`, which tells finders of a vulnerability whom to tell. */
import { Config, Schema } from "effect"
import { list, optional } from "./Setting.ts"

/** White space would end the line of the file. */
const HTTPS = /^https:\/\/[^\s,]+$/

const CONTACT = /^(?:mailto:[^\s,@]+@[^\s,@]+|https:\/\/[^\s,]+|tel:\+?[0-9-]+)$/

const NOT_A_CONTACT = "expected URIs that begin with mailto:, https: or tel:, separated by commas"

export const security = {
  securityContact: list({
    name: "SECURITY_CONTACT",
    check: (name) => Config.Array(Schema.Trim.check(Schema.isPattern(CONTACT, { message: NOT_A_CONTACT })), name),
    meaning:
      "Contacts for reports of vulnerabilities, the preferred one first, e.g. `mailto:security@example.com`. Both services show them at `/.well-known/security.txt` (RFC 9116), which does not exist without them."
  }),
  securityPolicyUrl: optional({
    name: "SECURITY_POLICY_URL",
    check: (name) =>
      Config.schema(
        Schema.String.check(Schema.isPattern(HTTPS, { message: "expected a URL that begins with https://" })),
        name
      ),
    meaning: "Page that says how vulnerabilities are reported and rewarded. It is shown beside `SECURITY_CONTACT`."
  })
} as const
