declare module '*?raw' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: the bundler gives the text of a file in this form only.
  export default text
}
