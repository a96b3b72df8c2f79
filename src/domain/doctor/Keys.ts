/** Findings about keys that the settings name. */
import { error } from "./Finding.ts"

export const kinds = {
  unusable: error(
    "key_unusable",
    "a key that a setting names cannot be used, so that the service does not start",
    "Correct the setting, and check that the key's file, key management service or signer can be reached from here. docs/how-to/keep-keys-safe.md lists every form of a key."
  )
}
