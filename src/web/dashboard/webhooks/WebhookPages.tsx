/** Pages about webhooks. They are loaded together: each file of its own makes the first page larger. */
export { WebhookPage } from "./WebhookPage.tsx"
export { WebhooksPage } from "./WebhooksPage.tsx"
