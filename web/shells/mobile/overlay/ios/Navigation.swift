import Foundation

/// Decides what the window of a server loads, with the rules of `Navigation.java`: pages of the server, and during a single sign-on
/// those of the provider.
final class Navigation {
    enum Decision {
        case load, outside, refuse
    }

    /// A login at another site takes no longer than its cookie lives.
    private static let signOnSeconds: TimeInterval = 10 * 60
    private static let outsideSchemes: Set<String> = ["https", "http", "mailto", "tel"]

    private let server: String
    private var signOnEnds = Date.distantPast

    /// - Parameter origin: scheme, host and port, as `isOrigin` accepts it
    init(origin: String) {
        server = origin
    }

    func decide(_ url: URL, now: Date = Date()) -> Decision {
        let scheme = url.scheme?.lowercased() ?? ""
        if Navigation.origin(of: url) == server {
            followSignOn(url.path, now: now)
            return .load
        }
        if now < signOnEnds && scheme == "https" { return .load }
        return Navigation.outsideSchemes.contains(scheme) ? .outside : .refuse
    }

    private func followSignOn(_ path: String, now: Date) {
        if path == "/auth/oidc/start" {
            signOnEnds = now.addingTimeInterval(Navigation.signOnSeconds)
        } else if !path.hasPrefix("/auth/") {
            signOnEnds = .distantPast
        }
    }

    /// Empty if the URL has a user name, or no host.
    static func origin(of url: URL) -> String {
        guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased(), url.user == nil else { return "" }
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return url.port.map { "\(scheme)://\(name):\($0)" } ?? "\(scheme)://\(name)"
    }

    /// The form in which the chooser hands over servers. Phones only use encrypted ones.
    static func isOrigin(_ text: String) -> Bool {
        matches(text, #"^https://(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$"#)
    }

    /// A path of the server, which cannot lead to another one.
    static func isPath(_ text: String) -> Bool {
        text.count <= 500 && matches(text, #"^/(?:[^/\\\s].*)?$"#)
    }

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        text.range(of: pattern, options: .regularExpression) != nil
    }
}
