/** Where plain HTTP may be spoken: nothing leaves the machine there (the contract). */
const loopback = new Set(["localhost", "127.0.0.1"]);

/**
 * The Control Plane's base URL, checked: HTTPS outside localhost and 127.0.0.1, and nothing in it but an origin and
 * perhaps a path. Throws an Error that names the fix; the URL may hold a password, so the sentence never repeats it.
 */
export function controlPlaneUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new Error("The Control Plane's URL is not a URL. Write it as https://host.");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && loopback.has(url.hostname))) {
    throw new Error("The Control Plane's URL must begin with https:// (http:// only for localhost and 127.0.0.1).");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new Error("The Control Plane's URL must hold no user, password, query or fragment: https://host is all.");
  }
  return url;
}
