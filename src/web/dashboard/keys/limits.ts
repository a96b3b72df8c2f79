/** Facts of the service about API keys. */

/** The key that every builder receives at registration. Rotation replaces this key and no other. */
export const DEFAULT_KEY_ID = "default"

/** Maximum number of keys beside the default one. */
export const MAX_KEYS = 20
