import Capacitor
import UIKit
import UserNotifications

/// The chooser, which has the app's own origin and Capacitor's API.
final class ChooserViewController: CAPBridgeViewController {
    override func capacitorDidLoad() {
        bridge?.registerPluginInstance(ServersPlugin())
    }
}

/// Remembers servers and shows their pages, as `ServersPlugin.java` does. Capacitor gives its API to every page in its web view, so the
/// page of a server has a web view of its own.
@objc(ServersPlugin)
final class ServersPlugin: CAPPlugin, CAPBridgedPlugin, NotificationHandlerProtocol {
    let identifier = "ServersPlugin"
    let jsName = "Servers"
    let pluginMethods = ["list", "takeLink", "open", "remove"].map {
        CAPPluginMethod(name: $0, returnType: CAPPluginReturnPromise)
    }

    private static let key = "chat.fanfare.servers"
    private static let maxServers = 20

    private var link = ""
    /// Whether the user came back from a server to choose another one.
    private var isChoosing = false
    private var shown: UIViewController?

    override func load() {
        NotificationCenter.default.addObserver(
            self, selector: #selector(openUrl(_:)), name: .capacitorOpenURL, object: nil)
        bridge?.notificationRouter.pushNotificationHandler = self
    }

    /// Notifications are for those who aren't looking at the app.
    func willPresent(notification: UNNotification) -> UNNotificationPresentationOptions {
        []
    }

    func didReceive(response: UNNotificationResponse) {
        follow(response.notification.request.content.userInfo["link"] as? String ?? "")
    }

    @objc private func openUrl(_ notification: Notification) {
        let url = (notification.object as? [String: Any])?["url"] as? URL
        follow(url?.absoluteString ?? "")
    }

    /// Links open the chooser, which knows what they mean.
    private func follow(_ text: String) {
        guard text.hasPrefix("fanfare:") else { return }
        link = text
        DispatchQueue.main.async { self.showChooser() }
    }

    private func showChooser() {
        shown?.dismiss(animated: false)
        shown = nil
        bridge?.webView?.reload()
    }

    @objc func list(_ call: CAPPluginCall) {
        var servers = read()
        servers["push"] = true
        if isChoosing { servers["current"] = NSNull() }
        isChoosing = false
        call.resolve(servers)
    }

    /// Resolves with the link that the chooser has to open, once.
    @objc func takeLink(_ call: CAPPluginCall) {
        call.resolve(["link": link])
        link = ""
    }

    @objc func open(_ call: CAPPluginCall) {
        let origin = call.getString("origin") ?? ""
        let path = call.getString("path") ?? ""
        guard Navigation.isOrigin(origin), Navigation.isPath(path), let url = URL(string: origin + path) else {
            return call.reject("failed")
        }
        var list = listed(without: origin)
        guard list.count < ServersPlugin.maxServers else { return call.reject("tooMany") }
        list.append(["origin": origin, "name": call.getString("name") ?? "Fanfare"])
        save(["list": list, "current": origin])
        let page = ServerViewController(origin: origin, start: url, push: call.getString("push") ?? "")
        page.onClose = { [weak self] in
            self?.isChoosing = true
            self?.showChooser()
        }
        call.resolve()
        DispatchQueue.main.async {
            page.modalPresentationStyle = .fullScreen
            self.shown = page
            self.bridge?.viewController?.present(page, animated: false)
        }
    }

    @objc func remove(_ call: CAPPluginCall) {
        let origin = call.getString("origin") ?? ""
        var servers = read()
        servers["list"] = listed(without: origin)
        if servers["current"] as? String == origin { servers["current"] = NSNull() }
        save(servers)
        call.resolve(servers)
    }

    private func listed(without origin: String) -> [[String: String]] {
        (read()["list"] as? [[String: String]] ?? []).filter { $0["origin"] != origin }
    }

    /// Damaged data means none: the chooser asks again.
    private func read() -> JSObject {
        let text = UserDefaults.standard.string(forKey: ServersPlugin.key) ?? ""
        let value = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let list = value?["list"] as? [[String: String]] ?? []
        guard let current = value?["current"] as? String else { return ["list": list, "current": NSNull()] }
        return ["list": list, "current": current]
    }

    private func save(_ servers: JSObject) {
        guard let data = try? JSONSerialization.data(withJSONObject: servers) else { return }
        UserDefaults.standard.set(String(decoding: data, as: UTF8.self), forKey: ServersPlugin.key)
    }
}
