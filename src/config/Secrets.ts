/** Keys that encrypt secrets in the databases of both services. */
import { secret } from "./Setting.ts"

export const secrets = {
  secretsKey: secret({
    name: "SECRETS_KEY",
    meaning:
      "Key that encrypts secrets in the database: 32 random bytes as 64 hex digits. Set it after every replica runs this release. If not set, the secrets of webhooks are stored readable, and `operate endpoints` is refused."
  }),
  secretsFormerKey: secret({
    name: "SECRETS_FORMER_KEY",
    meaning:
      "Former `SECRETS_KEY`. The services encrypt their secrets by the new key. If there is none, webhooks' secrets are stored readable. Remove it once the log says so."
  })
} as const
