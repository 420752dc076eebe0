// Keeps the page's files in the browser, so that a later visit needs no network. What changed is loaded in the
// background and used when all tabs of the page were closed: one visit never mixes files of two versions. Sites of several
// releases share the browser's caches: each has its own, named after its address, and removes no other.
importScripts("files.js"); // made by the build: VERSION and FILES
const OWN = `pages of ${registration.scope} `;
const CACHE = OWN + VERSION;

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(removeOlder()));
addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.href.startsWith(registration.scope)) event.respondWith(answer(event.request, url));
});

async function keep() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map((name) => new Request(name, { cache: "no-cache" }))); // asks whether its copy is new
}

async function removeOlder() {
  const names = (await caches.keys()).filter((name) => name.startsWith(OWN) && name !== CACHE);
  await Promise.all(names.map((name) => caches.delete(name)));
}

async function answer(request, url) {
  const file = url.pathname.endsWith("/") ? `${url.pathname}index.html` : url.pathname;
  return (await (await caches.open(CACHE)).match(file)) ?? fetch(request);
}
