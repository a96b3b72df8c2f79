/** Lowers the rate limit for all clients of an IPv6 site together. */
import { Context } from "effect"

/**
 * Annotates a group whose requests have a low limit for each /48 of IPv6, because they are expensive or may come from anybody. A neighbour
 * can use up this limit, so that of submissions and reads is ten times as high. Default: false.
 */
export const SitesCounted = Context.Reference<boolean>("sweep/api/SitesCounted", { defaultValue: () => false })
