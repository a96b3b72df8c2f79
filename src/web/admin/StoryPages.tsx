/** The search and the pages that it leads to. They are loaded together. */
export { SearchPage } from "./SearchPage.tsx"
export { StoryPage } from "./story/StoryPage.tsx"
